#include "fronts/ws/channel.h"

#include <algorithm>
#include <utility>

#include "fronts/ws/core.h"
#include "fronts/ws/socket.h"

namespace muster::ws {

using session::Envelope;
using session::LinkOutput;
using session::Protocol;

Channel::Channel(Core& core, Protocol protocol, std::string tenant, ChannelOwner& owner)
    : core_(core),
      protocol_(protocol),
      tenant_(std::move(tenant)),
      owner_(owner),
      link_({.send = {.window = core.options.window}, .receive = {.window = core.options.window}, .seed = core.next_seed()}),
      waits_(core.next_seed()),
      safe_{.recv_window = core.options.window},
      deadline_(core.deadlines, [this] { tick(); }) {}

// --- sockets come and go ---

void Channel::attach(Socket& socket) {
  socket_ = &socket;
  arm();
}

void Channel::detach() {
  socket_ = nullptr;
  link_.disconnected();
  waits_.clear();  // v1 starts over on its next connection
  deadline_.set(std::nullopt);
}

void Channel::reset() {
  link_.reset();
  waits_.clear();
  ++epoch_;
  continued_at_.reset();
  unplaced_.clear();
  unplaced_bytes_ = 0;
  safe_ = link_.window_ack();
  first_ack_ += acks_.size();
  acks_.clear();
}

Status Channel::resumed(std::optional<std::uint64_t> last_seen) {
  LinkOutput out;
  if (continued_at_) continued_at_ = core_.steady();  // it begins to send again
  Status known = link_.resumed(last_seen, core_.steady(), out);
  carry_out(out);
  return known;
}

void Channel::continued(std::uint64_t last_seen) {
  session::LinkState state;
  state.next_number = last_seen + 1;
  if (!link_.restore(std::move(state)).ok()) link_.reset();
  continued_at_ = core_.steady();
  LinkOutput out;
  static_cast<void>(link_.resumed(std::nullopt, *continued_at_, out));
  carry_out(out);
}

// --- out ---

Status Channel::send(const BusinessFrame& frame) {
  std::string bytes;
  const session::FrameHead head{.type = frame.type.empty() ? session::name_of(protocol_, frame.kind) : frame.type,
                                .id = frame.id,
                                .ts = core_.now(),
                                .corr = frame.corr,
                                .seq = frame.seq,
                                .tenant = tenant_,
                                .sender_id = kSchedulerId,
                                .ack_request = frame.ack_request};
  session::append_frame(bytes, head, frame.payload);
  if (bytes.size() > session::kWorkerMessageBytesMax)
    return Status::invalid_argument("the frame is longer than the 1 MiB that workers take in");
  if (protocol_ == Protocol::v1) {
    if (socket_ == nullptr) return Status::unavailable("the worker is not connected");
    if (frame.ack_request)
      if (Status added = waits_.add(std::string(frame.id), bytes, core_.steady(), frame.ack_within); !added.ok()) return added;
    socket_->send(bytes);
    core_.meter.frame(tenant_, Meter::Direction::out, bytes.size());
    arm();
    return {};
  }
  LinkOutput out;
  const auto number = link_.send(std::move(bytes), core_.steady(), out);
  if (!number.ok()) return number.status();
  carry_out(out);
  return {};
}

void Channel::send_control(session::FrameKind kind, std::string_view payload) {
  if (socket_ == nullptr) return;
  std::string bytes;
  const std::string id = core_.next_id();
  session::append_frame(
      bytes,
      {.type = session::name_of(protocol_, kind), .id = id, .ts = core_.now(), .tenant = tenant_, .sender_id = kSchedulerId},
      payload);
  socket_->send(bytes);
  core_.meter.frame(tenant_, Meter::Direction::out, bytes.size());
}

void Channel::carry_out(LinkOutput& out) {
  if (socket_ != nullptr)
    for (const std::string_view frame : out.transmit) {
      socket_->send(frame);
      core_.meter.frame(tenant_, Meter::Direction::out, frame.size());
    }
  if (out.skipped > 0) core_.meter.hole_skipped(out.skipped);
  if (out.fault) core_.meter.refused("ack");
  if (out.ack || !out.deliver.empty()) {
    // One more than the deliveries: nothing leaves before all of them have begun.
    const Arrived arrived{first_ack_ + acks_.size()};
    acks_.push_back({std::move(out.ack), out.deliver.size() + 1});
    for (Envelope& frame : out.deliver) owner_.deliver(std::move(frame), arrived);
    done(arrived);
  }
  arm();
  if (out.skipped > 0) owner_.holes_skipped();
  if (!out.stalled.empty()) owner_.stalled();
}

// --- in ---

void Channel::received(Envelope frame) {
  if (acks_.size() >= kAcksHeldMax) return core_.meter.refused("acks");  // it comes again
  if (protocol_ == Protocol::v2 && frame.session_seq) return received_numbered(std::move(frame));
  received_by_id(std::move(frame));
}

// What the worker still holds it sends within kHoleWaitAfterResume, in any order, and the lowest of that is where its numbers go
// on. Until then nothing can be put in order, or acknowledged. Number 1 has nothing below it.
void Channel::keep_unplaced(Envelope frame) {
  const std::uint64_t number = *frame.session_seq;
  const bool full = unplaced_.size() >= kUnplacedMax || unplaced_bytes_ + frame.bytes > session::kReceiveHeldBytesDefault;
  if (number == 0 || full) return core_.meter.refused("window");  // it comes again
  const std::size_t bytes = frame.bytes;
  if (unplaced_.emplace(number, std::move(frame)).second) unplaced_bytes_ += bytes;
  const bool all_came = core_.steady() >= *continued_at_ + session::kHoleWaitAfterResume;
  number == 1 || all_came ? place() : arm();
}

void Channel::place() {
  const Instant since = *std::exchange(continued_at_, std::nullopt);
  auto frames = std::exchange(unplaced_, {});
  unplaced_bytes_ = 0;
  session::LinkState state = link_.state();
  state.receive_base = frames.begin()->first - 1;
  if (!link_.restore(std::move(state)).ok()) link_.reset();
  LinkOutput out;
  static_cast<void>(link_.resumed(std::nullopt, since, out));
  carry_out(out);
  for (auto& [number, frame] : frames) received_numbered(std::move(frame));
}

void Channel::received_numbered(Envelope frame) {
  if (continued_at_) return keep_unplaced(std::move(frame));
  LinkOutput out;
  const session::Arrival arrival = link_.received(std::move(frame), core_.steady(), out);
  if (arrival == session::Arrival::out_of_window || arrival == session::Arrival::no_room) core_.meter.refused("window");
  carry_out(out);
}

void Channel::received_by_id(Envelope frame) {
  session::AckDue due;
  if (frame.ack_request) due.acked_id = frame.id;
  due.corr = frame.corr;
  due.window = safe_;
  const session::FrameKey key{epoch_, frame.id, frame.corr ? std::optional<std::string_view>(*frame.corr) : std::nullopt};
  const bool fresh = handled_.remember(key, core_.steady());
  const Arrived arrived{first_ack_ + acks_.size()};
  acks_.push_back({std::move(due), 1});
  if (fresh)
    owner_.deliver(std::move(frame), arrived);
  else
    done(arrived);
}

void Channel::acked(const Envelope& ack) {
  const auto payload = session::read_ack(ack.payload.tree());
  if (!payload.ok()) return core_.meter.refused("payload");
  if (protocol_ == Protocol::v1) {
    if (const std::string* id = session::acked_id(ack, *payload)) waits_.acked(*id);
    return arm();
  }
  if (payload->window) acked(*payload->window);
}

void Channel::acked(const session::WindowAck& window) {
  LinkOutput out;
  link_.acknowledged(window, core_.steady(), out);
  carry_out(out);
}

void Channel::done(Arrived arrived) {
  const auto number = static_cast<std::uint64_t>(arrived);
  if (number < first_ack_ || number >= first_ack_ + acks_.size()) return;  // of a session that was reset
  --acks_[number - first_ack_].waiting;
  flush_acks();
}

void Channel::refuse(const Envelope& frame, Arrived arrived) {
  const auto number = static_cast<std::uint64_t>(arrived);
  if (number < first_ack_ || number >= first_ack_ + acks_.size()) return;
  acks_[number - first_ack_].due.reset();
  handled_.forget({epoch_, frame.id, frame.corr ? std::optional<std::string_view>(*frame.corr) : std::nullopt});
  done(arrived);
}

void Channel::hold(Arrived arrived) {
  const auto number = static_cast<std::uint64_t>(arrived);
  if (number >= first_ack_ && number < first_ack_ + acks_.size()) ++acks_[number - first_ack_].waiting;
}

void Channel::flush_acks() {
  while (!acks_.empty() && acks_.front().waiting == 0) {
    if (acks_.front().due) write_ack(*acks_.front().due);
    acks_.pop_front();
    ++first_ack_;
  }
}

void Channel::write_ack(const session::AckDue& due) {
  if (protocol_ == Protocol::v2) safe_ = due.window;
  if (socket_ == nullptr || (protocol_ == Protocol::v1 && !due.acked_id)) return;
  std::string out;
  const std::string id = core_.next_id();
  session::append_ack(out, protocol_,
                      {.id = id,
                       .ts = core_.now(),
                       .corr = due.corr ? std::optional<std::string_view>(*due.corr) : std::nullopt,
                       .seq = std::nullopt,
                       .tenant = tenant_,
                       .role = session::Role::scheduler,
                       .sender_id = kSchedulerId,
                       .acked_id = due.acked_id ? std::optional<std::string_view>(*due.acked_id) : std::nullopt,
                       .window = protocol_ == Protocol::v2 ? std::optional(due.window) : std::nullopt});
  socket_->send(out);
  core_.meter.frame(tenant_, Meter::Direction::out, out.size());
}

// --- time ---

void Channel::arm() {
  if (socket_ == nullptr) return deadline_.set(std::nullopt);
  std::optional<Instant> due = protocol_ == Protocol::v1 ? waits_.next_due() : link_.next_due();
  if (!unplaced_.empty()) due = std::min(due.value_or(Instant::max()), *continued_at_ + session::kHoleWaitAfterResume);
  deadline_.wake_by(due);
}

void Channel::tick() {
  if (protocol_ == Protocol::v2) {
    if (!unplaced_.empty() && core_.steady() >= *continued_at_ + session::kHoleWaitAfterResume) place();
    LinkOutput out;
    link_.tick(core_.steady(), out);
    return carry_out(out);
  }
  session::Transmissions again;
  std::vector<std::string> given_up;
  waits_.tick(core_.steady(), again, given_up);
  if (socket_ != nullptr)
    for (const std::string_view frame : again) socket_->send(frame);
  arm();
  for (const std::string& id : given_up) owner_.unacknowledged(id);
}

}  // namespace muster::ws
