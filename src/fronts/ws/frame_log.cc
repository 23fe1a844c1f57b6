#include "fronts/ws/frame_log.h"

#include "base/log.h"

namespace muster::ws {

void warn_about(std::string_view message, const session::Envelope& frame, const Complaint& complaint) {
  const log::Field tenant{"tenant", frame.tenant};
  const log::Field sender{"sender.id", frame.sender.id};
  const log::Field type{"type", frame.type};
  const log::Field id{"id", frame.id};
  const log::Field corr{"corr", frame.corr.value_or("")};
  const log::Field code{"code", std::string(complaint.code)};
  const log::Field session{"session_id", std::string(complaint.session_id)};
  const log::Field address{"address", std::string(complaint.address)};
  const log::Field reason{"reason", std::string(complaint.reason)};
  const log::Field seq{"seq", static_cast<std::int64_t>(frame.seq.value_or(0))};
  const log::Field number{"session_seq", static_cast<std::int64_t>(frame.session_seq.value_or(0))};
  // A number that the frame does not have is left out: 0 would be one.
  if (frame.seq && frame.session_seq)
    log::warn(message, {tenant, sender, type, id, corr, seq, number, code, session, address, reason});
  else if (frame.seq)
    log::warn(message, {tenant, sender, type, id, corr, seq, code, session, address, reason});
  else if (frame.session_seq)
    log::warn(message, {tenant, sender, type, id, corr, number, code, session, address, reason});
  else
    log::warn(message, {tenant, sender, type, id, corr, code, session, address, reason});
}

void tell_left_out(const LeftOut& whose, std::uint64_t count) {
  log::warn("lines about refused frames were left out", {{"tenant", std::string(whose.tenant)},
                                                         {"sender.id", std::string(whose.sender_id)},
                                                         {"session_id", std::string(whose.session_id)},
                                                         {"count", static_cast<std::int64_t>(count)}});
}

}  // namespace muster::ws
