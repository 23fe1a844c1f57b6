// Frames as this worker writes them: its name, its tenant and its counter of ids around any payload. Used by the machine and its
// channel. Ids count from 0 in each process, as those of other workers do; a scheduler tells sessions apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sdk/cpp/ws/moment.h"
#include "session/ack.h"
#include "session/envelope.h"
#include "session/frame_types.h"
#include "session/link.h"

namespace muster::sdk::ws {

struct Written {
  std::string id;
  std::string bytes;
};

// What stands around a payload, as far as it differs from frame to frame.
struct Around {
  std::optional<std::string> corr;
  std::optional<std::uint64_t> seq;
  bool ack_request = false;
};

class FrameWriter {
 public:
  FrameWriter(session::Protocol protocol, std::string tenant, std::string sender_id)
      : protocol_(protocol), tenant_(std::move(tenant)), sender_id_(std::move(sender_id)) {}

  session::Protocol protocol() const { return protocol_; }
  const std::string& tenant() const { return tenant_; }
  const std::string& sender_id() const { return sender_id_; }

  // REQUIRES: payload is the text of a JSON object; the protocol has frames of this kind.
  Written frame(session::FrameKind kind, std::string_view payload, const Around& around, Moment now) {
    const std::string_view type = session::name_of(protocol_, kind);
    Written out{.id = next_id(type), .bytes = {}};
    session::FrameHead head{.type = type, .id = out.id, .ts = now.wall};
    if (around.corr) head.corr = *around.corr;
    head.seq = around.seq;
    head.tenant = tenant_;
    head.role = session::Role::worker;
    head.sender_id = sender_id_;
    head.ack_request = around.ack_request;
    session::append_frame(out.bytes, head, payload);
    return out;
  }

  std::string ack(const session::AckDue& due, Moment now) {
    const std::string id = next_id(session::name_of(protocol_, session::FrameKind::ack));
    session::AckHead head{.id = id, .ts = now.wall};
    if (due.corr) head.corr = *due.corr;
    head.seq = due.seq;
    head.tenant = tenant_;
    head.role = session::Role::worker;
    head.sender_id = sender_id_;
    if (due.acked_id) head.acked_id = *due.acked_id;
    if (protocol_ == session::Protocol::v2) head.window = due.window;
    std::string out;
    session::append_ack(out, protocol_, head);
    return out;
  }

 private:
  std::string next_id(std::string_view type) { return std::string(type) + "-" + std::to_string(count_++); }

  session::Protocol protocol_;
  std::string tenant_;
  std::string sender_id_;
  std::uint64_t count_ = 0;
};

}  // namespace muster::sdk::ws
