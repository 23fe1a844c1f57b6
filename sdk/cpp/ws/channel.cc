#include "sdk/cpp/ws/channel.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace muster::sdk::ws {
namespace {

using session::Envelope;
using session::LinkOutput;
using session::Protocol;

// The window puts the number last (session/envelope.h), so it can be taken off again.
std::string without_number(std::string frame) {
  constexpr std::string_view kNumber = ",\"session_seq\":";
  if (const std::size_t at = frame.rfind(kNumber); at != frame.npos) {
    frame.resize(at);
    frame += '}';
  }
  return frame;
}

}  // namespace

Channel::Channel(FrameWriter& writer, std::uint32_t window, std::uint64_t seed)
    : writer_(writer),
      link_({.send = {.window = window, .bytes = kUnackedBytesMax}, .receive = {.window = window}, .seed = seed}),
      waits_(mix64(seed)) {
  link_.disconnected();
}

// --- out ---

bool Channel::send(Written frame, bool asks_for_ack, Care care, Receipt receipt, Moment now, ChannelOutput& out) {
  if (writer_.protocol() == Protocol::v1) return send_by_id(std::move(frame), asks_for_ack, receipt, now, out);
  return send_numbered(std::move(frame), care, receipt, now, out);
}

bool Channel::send_numbered(Written frame, Care care, Receipt receipt, Moment now, ChannelOutput& out) {
  const session::SendWindow& sending = link_.sending();
  if (care == Care::may_be_left && (!later_.empty() || sending.frames() >= kFeedbackWaitingFramesMax ||
                                    sending.bytes() + frame.bytes.size() > kFeedbackWaitingBytesMax))
    return false;
  if (!later_.empty() || !push(frame.bytes, receipt, now, out)) later_.push_back({std::move(frame.bytes), receipt});
  return true;
}

bool Channel::push(std::string bytes, Receipt receipt, Moment now, ChannelOutput& out) {
  LinkOutput link_out;
  const auto number = link_.send(std::move(bytes), now.steady(), link_out);
  if (!number.ok()) return false;
  if (receipt != 0) numbered_.emplace(*number, receipt);
  carry_out(link_out, now, out);
  return true;
}

void Channel::push_waiting(Moment now, ChannelOutput& out) {
  while (!later_.empty() && push(later_.front().bytes, later_.front().receipt, now, out)) later_.pop_front();
}

// Feedback of protocol 1 is said once, if there is anybody to hear it.
bool Channel::send_by_id(Written frame, bool asks_for_ack, Receipt receipt, Moment now, ChannelOutput& out) {
  if (asks_for_ack) {
    kept_.push_back({.id = std::move(frame.id), .bytes = std::move(frame.bytes), .receipt = receipt});
    send_kept(now, out);
    return true;
  }
  if (!connected_) return false;
  out.frames.push_back(std::move(frame.bytes));
  return true;
}

void Channel::send_kept(Moment now, ChannelOutput& out) {
  if (!connected_) return;
  for (Kept& frame : kept_) {
    if (frame.sent) continue;
    if (!waits_.add(frame.id, frame.bytes, now.steady()).ok()) return;  // no room: when others were acknowledged
    frame.sent = true;
    out.frames.push_back(frame.bytes);
  }
}

// --- in ---

void Channel::received(Envelope frame, Moment now, ChannelOutput& out) {
  if (writer_.protocol() == Protocol::v2) {
    LinkOutput link_out;
    link_.received(std::move(frame), now.steady(), link_out);
    return carry_out(link_out, now, out);
  }
  if (frame.ack_request)
    out.frames.push_back(writer_.ack({.acked_id = frame.id, .corr = frame.corr, .seq = frame.seq, .window = {}}, now));
  const session::FrameKey key{
      .epoch = 0, .id = frame.id, .corr = frame.corr ? std::optional<std::string_view>(*frame.corr) : std::nullopt};
  if (handled_.remember(key, now.steady())) out.deliver.push_back(std::move(frame));
}

void Channel::acknowledged(const session::AckPayload& ack, const std::string* acked_id, Moment now, ChannelOutput& out) {
  if (writer_.protocol() == Protocol::v2) {
    if (!ack.window) return;
    LinkOutput link_out;
    link_.acknowledged(*ack.window, now.steady(), link_out);
    carry_out(link_out, now, out);
    return push_waiting(now, out);
  }
  if (acked_id == nullptr) return;
  waits_.acked(*acked_id);
  const auto at = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& frame) { return frame.id == *acked_id; });
  if (at == kept_.end()) return;
  if (at->receipt != 0) out.acked.push_back(at->receipt);
  kept_.erase(at);
  send_kept(now, out);
}

void Channel::carry_out(LinkOutput& link_out, Moment now, ChannelOutput& out) {
  // Whoever did not answer six times is not asked a seventh time on this connection; the frames wait for the next one.
  if (!link_out.stalled.empty()) out.stalled = true;
  if (!out.stalled)
    for (const std::string_view frame : link_out.transmit) out.frames.emplace_back(frame);
  if (link_out.ack) out.frames.push_back(writer_.ack(*link_out.ack, now));
  for (Envelope& frame : link_out.deliver) out.deliver.push_back(std::move(frame));
  out.skipped += link_out.skipped;
  tell_acked(out);
}

void Channel::tell_acked(ChannelOutput& out) {
  const std::uint64_t through = link_.sending().acked_through();
  while (!numbered_.empty() && numbered_.begin()->first <= through) {
    out.acked.push_back(numbered_.begin()->second);
    numbered_.erase(numbered_.begin());
  }
}

// --- connections come and go ---

void Channel::resumed(Moment now, ChannelOutput& out) {
  connected_ = true;
  LinkOutput link_out;
  static_cast<void>(link_.resumed(std::nullopt, now.steady(), link_out));  // nothing is claimed, so nothing can be wrong
  carry_out(link_out, now, out);
}

void Channel::started(Moment now, ChannelOutput& out) {
  connected_ = true;
  if (writer_.protocol() == Protocol::v1) return send_kept(now, out);
  const std::vector<session::UnackedFrame> unacked = link_.state().unacked;
  const std::map<std::uint64_t, Receipt> receipts = std::exchange(numbered_, {});
  std::deque<Later> again;
  for (const session::UnackedFrame& frame : unacked) {
    const auto receipt = receipts.find(frame.number);
    again.push_back({without_number(frame.bytes), receipt == receipts.end() ? 0 : receipt->second});
  }
  for (Later& frame : later_) again.push_back(std::move(frame));
  later_ = std::move(again);
  link_.reset();
  push_waiting(now, out);
}

void Channel::lost() {
  connected_ = false;
  link_.disconnected();
  waits_.clear();
  for (Kept& frame : kept_) frame.sent = false;
}

// --- time ---

void Channel::tick(Moment now, ChannelOutput& out) {
  if (!connected_) return;
  if (writer_.protocol() == Protocol::v2) {
    LinkOutput link_out;
    link_.tick(now.steady(), link_out);
    return carry_out(link_out, now, out);
  }
  session::Transmissions again;
  std::vector<std::string> given_up;
  waits_.tick(now.steady(), again, given_up);
  for (const std::string_view frame : again) out.frames.emplace_back(frame);
  if (!given_up.empty()) out.stalled = true;
}

std::optional<muster::Instant> Channel::next_due() const {
  if (!connected_) return std::nullopt;
  return writer_.protocol() == Protocol::v1 ? waits_.next_due() : link_.next_due();
}

std::size_t Channel::waiting() const { return link_.sending().frames() + later_.size() + kept_.size(); }

}  // namespace muster::sdk::ws
