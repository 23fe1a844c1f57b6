#include "session/ack.h"

#include <fmt/format.h>

#include <algorithm>

#include "session/wire_text.h"

namespace muster::session {
namespace {

Status wrong_ack(std::string_view field, std::string_view accepted) {
  return Status::invalid_argument(fmt::format("ack field '{}' must be {}, or null", field, accepted));
}

// A member that is there and not null.
const json::Tree* present(const json::Tree& payload, const char* field) {
  const json::Tree* value = json::member(payload, field);
  return value != nullptr && !value->is_null() ? value : nullptr;
}

Status read_natural(const json::Tree& payload, const char* field, std::optional<std::uint64_t>& out) {
  const json::Tree* value = present(payload, field);
  if (value == nullptr) return {};
  if (!value->is_number_unsigned()) return wrong_ack(field, "an integer of 0 to 18446744073709551615");
  out = value->get<std::uint64_t>();
  return {};
}

Status read_text(const json::Tree& payload, const char* field, std::optional<std::string>& out) {
  const json::Tree* value = present(payload, field);
  if (value == nullptr) return {};
  const std::string* text = value->get_ptr<const std::string*>();
  if (text == nullptr) return wrong_ack(field, "a string");
  out = *text;
  return {};
}

Status read_window(const json::Tree& payload, std::optional<WindowAck>& out) {
  std::optional<std::uint64_t> seq;
  std::optional<std::uint64_t> bitmap;
  std::optional<std::uint64_t> width;
  if (Status status = read_natural(payload, "ack_seq", seq); !status.ok()) return status;
  if (Status status = read_natural(payload, "ack_bitmap", bitmap); !status.ok()) return status;
  if (Status status = read_natural(payload, "recv_window", width); !status.ok()) return status;
  if (width == 0) return wrong_ack("recv_window", "an integer of at least 1");
  if (!seq) return {};
  const auto bits = static_cast<std::uint32_t>(std::min<std::uint64_t>(width.value_or(kSessionWindowMax), kSessionWindowMax));
  out = WindowAck{.ack_seq = *seq, .ack_bitmap = bitmap.value_or(0), .recv_window = bits};
  return {};
}

}  // namespace

Result<AckPayload> read_ack(const json::Tree& payload) {
  AckPayload ack;
  if (const json::Tree* ok = present(payload, "ok")) {
    if (!ok->is_boolean()) return wrong_ack("ok", "a boolean");
    ack.ok = ok->get<bool>();
  }
  if (Status status = read_text(payload, "for", ack.acked_id); !status.ok()) return status;
  if (Status status = read_text(payload, "info", ack.info); !status.ok()) return status;
  if (Status status = read_window(payload, ack.window); !status.ok()) return status;
  return ack;
}

const std::string* acked_id(const Envelope& envelope, const AckPayload& payload) {
  if (envelope.ack_for) return &*envelope.ack_for;
  return payload.acked_id ? &*payload.acked_id : nullptr;
}

void append_ack(std::string& out, Protocol protocol, const AckHead& ack) {
  const FrameHead head{
      .type = name_of(protocol, FrameKind::ack),
      .id = ack.id,
      .ts = ack.ts,
      .corr = ack.corr,
      .seq = ack.seq,
      .tenant = ack.tenant,
      .role = ack.role,
      .sender_id = ack.sender_id,
      .ack_for = ack.acked_id,
  };
  append_head(out, head);
  out += "{\"ok\":true";
  if (ack.acked_id) {
    out += ",\"for\":";
    append_quoted(out, *ack.acked_id);
  }
  if (ack.window && protocol == Protocol::v2) {
    out += ",\"ack_seq\":";
    append_number(out, ack.window->ack_seq);
    out += ",\"ack_bitmap\":";
    append_number(out, ack.window->ack_bitmap);
    out += ",\"recv_window\":";
    append_number(out, ack.window->recv_window);
  }
  out += '}';
  append_tail(out, head);
}

}  // namespace muster::session
