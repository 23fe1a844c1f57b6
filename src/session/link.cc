#include "session/link.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::session {

void LinkOutput::clear() {
  transmit.clear();
  deliver.clear();
  ack.reset();
  stalled.clear();
  skipped = 0;
  fault = false;
}

Link::Link(const LinkOptions& options) : send_(options.send, options.seed), receive_(options.receive) {}

Result<std::uint64_t> Link::send(std::string frame, Instant now, LinkOutput& out) {
  return send_.push(std::move(frame), now, out.transmit);
}

Arrival Link::received(Envelope frame, Instant now, LinkOutput& out) {
  if (!frame.session_seq) {
    if (frame.ack_request) out.ack = AckDue{.acked_id = frame.id, .corr = frame.corr, .seq = frame.seq, .window = receive_.ack()};
    out.deliver.push_back(std::move(frame));
    return Arrival::delivered;
  }
  const std::uint64_t number = *frame.session_seq;
  AckDue ack{.corr = frame.corr, .seq = frame.seq};
  if (frame.ack_request) ack.acked_id = frame.id;
  const Arrival arrival = receive_.record(std::move(frame), now, out.deliver);
  if (!is_accepted(arrival, number)) ack.acked_id.reset();
  ack.window = receive_.ack();
  out.ack = std::move(ack);
  if (arrival != Arrival::delivered && arrival != Arrival::held) ++counters_.dropped;
  return arrival;
}

void Link::acknowledged(const WindowAck& ack, Instant now, LinkOutput& out) {
  if (send_.acknowledge(ack, now, out.transmit)) return;
  ++counters_.faults;
  out.fault = true;
}

void Link::tick(Instant now, LinkOutput& out) {
  if (!connected_) return;
  send_.tick(now, out.transmit, out.stalled);
  const std::uint64_t skipped = receive_.skip_due_holes(now, out.deliver);
  if (skipped == 0) return;
  ++counters_.holes;
  out.skipped += skipped;
  out.ack = AckDue{.window = receive_.ack()};
}

std::optional<Instant> Link::next_due() const {
  if (!connected_) return std::nullopt;
  const std::optional<Instant> resend = send_.next_due();
  const std::optional<Instant> hole = receive_.hole_due();
  if (resend && hole) return std::min(*resend, *hole);
  return resend ? resend : hole;
}

void Link::disconnected() {
  connected_ = false;
  send_.disconnected();
}

Status Link::resumed(std::optional<std::uint64_t> last_seen, Instant now, LinkOutput& out) {
  connected_ = true;
  receive_.resumed(now);
  const std::uint64_t acked = send_.acked_through();
  if (send_.resumed(last_seen, now, out.transmit)) return {};
  ++counters_.faults;
  out.fault = true;
  return Status::conflict(fmt::format("last_seen_seq {} is not of this session: {} was acknowledged, {} is the next number",
                                      last_seen.value_or(0), acked, send_.next_number()));
}

void Link::reset() {
  send_.reset();
  receive_.reset();
  connected_ = true;
}

LinkState Link::state() const {
  LinkState state{.receive_base = receive_.base(), .next_number = send_.next_number(), .unacked = send_.unacked()};
  for (const auto& [number, held] : receive_.held()) state.held.push_back(held);
  return state;
}

Status Link::restore(LinkState state) {
  const bool restored =
      receive_.restore(state.receive_base, std::move(state.held)) && send_.restore(state.next_number, std::move(state.unacked));
  if (!restored) {
    reset();
    return Status::corrupt("the stored state of a session's link does not fit its windows");
  }
  connected_ = false;
  return {};
}

}  // namespace muster::session
