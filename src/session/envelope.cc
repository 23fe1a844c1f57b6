#include "session/envelope.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "base/json_text.h"
#include "base/time_text.h"
#include "session/wire_text.h"

namespace muster::session {
namespace {

using json::is_plain;
using json::Member;
using json::MemberScan;
using json::natural_value;
using json::text_value;
using json::Tree;

constexpr std::size_t kFieldShownBytes = 64;  // of a name that a peer made up

Status wrong(std::string_view field, std::string_view accepted) {
  return Status::invalid_argument(fmt::format("envelope field '{}' must be {}", field, accepted));
}

Status missing(std::string_view field) { return Status::invalid_argument(fmt::format("envelope field '{}' is required", field)); }

Status unknown(std::string_view inside, std::string_view name) {
  return Status::invalid_argument(fmt::format("{} has no field {}", inside, json::dump(Tree(name.substr(0, kFieldShownBytes)))));
}

Status not_json() { return Status::invalid_argument("message is not JSON"); }

bool is_null(std::string_view value) { return value == "null"; }

Status take_text(std::string_view value, std::string_view field, std::string& out) {
  std::optional<std::string> text = text_value(value);
  if (!text || text->empty() || text->size() > kEnvelopeTextBytesMax)
    return wrong(field, fmt::format("a string of 1 to {} bytes", kEnvelopeTextBytesMax));
  out = std::move(*text);
  return {};
}

// Unlike the required texts these may be empty.
Status take_optional_text(std::string_view value, std::string_view field, std::optional<std::string>& out) {
  if (is_null(value)) return {};
  out = text_value(value);
  if (out && out->size() <= kEnvelopeTextBytesMax) return {};
  return wrong(field, fmt::format("a string of at most {} bytes, or null", kEnvelopeTextBytesMax));
}

Status take_number(std::string_view value, std::string_view field, std::optional<std::uint64_t>& out) {
  if (is_null(value)) return {};
  out = natural_value(value);
  if (out) return {};
  return wrong(field, fmt::format("an integer of 0 to {}, or null", std::numeric_limits<std::uint64_t>::max()));
}

Status take_time(std::string_view value, Instant& out) {
  const std::optional<std::string> text = text_value(value);
  const std::optional<Instant> at = text ? parse_rfc3339(*text) : std::nullopt;
  if (!at) return wrong("ts", "a date-time with an offset, as in 2026-11-15T07:57:26.094271+00:00");
  out = *at;
  return {};
}

Status take_role(std::string_view value, Role& out) {
  const std::optional<std::string> role = text_value(value);
  if (role != "scheduler" && role != "worker") return wrong("sender.role", "'scheduler' or 'worker'");
  out = role == "worker" ? Role::worker : Role::scheduler;
  return {};
}

Status take_sender_field(std::string_view name, std::string_view value, Sender& out) {
  if (name == "role") return take_role(value, out.role);
  if (name == "id") return take_text(value, "sender.id", out.id);
  return unknown("envelope field 'sender'", name);
}

Status take_ack_field(std::string_view name, std::string_view value, Envelope& out) {
  if (name == "for") return take_optional_text(value, "ack.for", out.ack_for);
  if (name != "request") return unknown("envelope field 'ack'", name);
  out.ack_request = value == "true";
  if (value == "true" || value == "false" || is_null(value)) return {};
  return wrong("ack.request", "a boolean or null");
}

Status take_flags(std::string_view value, std::vector<std::string>& out) {
  if (is_null(value)) return {};
  std::optional<Tree> flags = json::parse(value);
  if (!flags || !flags->is_array() || flags->size() > kEnvelopeFlagsMax)
    return wrong("flags", fmt::format("an array of at most {} strings, or null", kEnvelopeFlagsMax));
  for (Tree& flag : *flags) {
    std::string* text = flag.get_ptr<std::string*>();
    if (text == nullptr || text->empty() || text->size() > kEnvelopeTextBytesMax)
      return wrong("flags", fmt::format("an array of strings of 1 to {} bytes", kEnvelopeTextBytesMax));
    out.push_back(std::move(*text));
  }
  return {};
}

Status take_payload(std::string_view value, Payload& out) {
  std::optional<Payload> payload = Payload::read(value);
  if (!payload) return not_json();
  if (!payload->is_object()) return wrong("payload", "an object");
  out = std::move(*payload);
  return {};
}

// Which fields of an object were there, to find those that are missing or came twice.
class Seen {
 public:
  // False: it was there already.
  bool add(std::string_view name) {
    for (std::size_t i = 0; i < kNames.size(); ++i)
      if (kNames[i] == name) return (std::exchange(bits_, bits_ | 1u << i) >> i & 1) == 0;
    return true;  // unknown: its reader refuses it
  }
  bool has(std::string_view name) const {
    for (std::size_t i = 0; i < kNames.size(); ++i)
      if (kNames[i] == name) return (bits_ >> i & 1) != 0;
    return false;
  }

 private:
  static constexpr std::array<std::string_view, 14> kNames{
      "type", "id", "ts", "tenant", "sender", "payload", "corr", "seq", "session_seq", "ack", "flags", "role", "for", "request"};
  std::uint32_t bits_ = 0;
};

// Walks one level of the envelope. `take` gets each field once.
template <class Take>
Status for_each_field(std::string_view object, Seen& seen, const Take& take) {
  MemberScan scan(object);
  while (const std::optional<Member> member = scan.next()) {
    std::string_view name = member->name.substr(1, member->name.size() - 2);
    std::optional<std::string> unescaped;
    if (!is_plain(name)) {
      unescaped = text_value(member->name);
      if (!unescaped) return not_json();
      name = *unescaped;
    }
    if (!seen.add(name)) return Status::invalid_argument(fmt::format("envelope field '{}' is there twice", name));
    if (Status status = take(name, member->value); !status.ok()) return status;
  }
  return scan.is_complete() ? Status() : not_json();
}

Status take_sender(std::string_view value, Sender& out) {
  if (value.front() != '{') return wrong("sender", "an object");
  Seen seen;
  const auto take = [&](std::string_view name, std::string_view part) { return take_sender_field(name, part, out); };
  if (Status status = for_each_field(value, seen, take); !status.ok()) return status;
  if (!seen.has("role")) return missing("sender.role");
  return seen.has("id") ? Status() : missing("sender.id");
}

Status take_ack(std::string_view value, Envelope& out) {
  if (is_null(value)) return {};
  if (value.front() != '{') return wrong("ack", "an object or null");
  Seen seen;
  return for_each_field(value, seen,
                        [&](std::string_view name, std::string_view part) { return take_ack_field(name, part, out); });
}

Status take_field(std::string_view name, std::string_view value, Envelope& out) {
  if (name == "type") return take_text(value, name, out.type);
  if (name == "id") return take_text(value, name, out.id);
  if (name == "ts") return take_time(value, out.ts);
  if (name == "corr") return take_optional_text(value, name, out.corr);
  if (name == "seq") return take_number(value, name, out.seq);
  if (name == "session_seq") return take_number(value, name, out.session_seq);
  if (name == "tenant") return take_text(value, name, out.tenant);
  if (name == "sender") return take_sender(value, out.sender);
  if (name == "ack") return take_ack(value, out);
  if (name == "flags") return take_flags(value, out.flags);
  if (name == "payload") return take_payload(value, out.payload);
  return unknown("envelope", name);
}

}  // namespace

std::string_view to_string(Role role) { return role == Role::worker ? "worker" : "scheduler"; }

Result<Envelope> read_envelope(std::string_view message, const ReadBounds& bounds) {
  if (message.size() > bounds.bytes)
    return Status::exhausted(fmt::format("message of {} bytes, at most {} are taken", message.size(), bounds.bytes));
  const std::size_t begin = message.find_first_not_of(" \t\n\r");
  if (begin != std::string_view::npos && message[begin] != '{' && json::parse(message))
    return Status::invalid_argument("message is not a JSON object");
  Envelope envelope;
  Seen seen;
  const auto take = [&](std::string_view name, std::string_view value) { return take_field(name, value, envelope); };
  if (Status status = for_each_field(message, seen, take); !status.ok()) return status;
  for (const std::string_view name : {"type", "id", "ts", "tenant", "sender", "payload"})
    if (!seen.has(name)) return missing(name);
  if (envelope.session_seq && bounds.protocol.value_or(protocol_of(envelope.type)) == Protocol::v1)
    return Status::invalid_argument("envelope field 'session_seq' does not exist in protocol v1");
  envelope.bytes = message.size();
  return envelope;
}

void append_head(std::string& out, const FrameHead& head) {
  out += "{\"type\":";
  append_quoted(out, head.type);
  out += ",\"id\":";
  append_quoted(out, head.id);
  out += ",\"ts\":";
  append_timestamp(out, head.ts);
  if (head.corr) {
    out += ",\"corr\":";
    append_quoted(out, *head.corr);
  }
  if (head.seq) {
    out += ",\"seq\":";
    append_number(out, *head.seq);
  }
  out += ",\"tenant\":";
  append_quoted(out, head.tenant);
  out += head.role == Role::worker ? R"(,"sender":{"role":"worker","id":)" : R"(,"sender":{"role":"scheduler","id":)";
  append_quoted(out, head.sender_id);
  out += '}';
  if (head.ack_for) {
    out += ",\"ack\":{\"for\":";
    append_quoted(out, *head.ack_for);
    out += head.ack_request ? ",\"request\":true}" : "}";
  } else if (head.ack_request) {
    out += ",\"ack\":{\"request\":true}";
  }
  if (head.flags != nullptr && !head.flags->empty()) {
    char before = '[';
    out += ",\"flags\":";
    for (const std::string& flag : *head.flags) {
      out += std::exchange(before, ',');
      append_quoted(out, flag);
    }
    out += ']';
  }
  out += ",\"payload\":";
}

void append_tail(std::string& out, const FrameHead& head) {
  out += '}';
  if (head.session_seq) number_frame(out, *head.session_seq);
}

void append_frame(std::string& out, const FrameHead& head, std::string_view payload) {
  constexpr std::size_t kAroundTexts = 192;  // names, punctuation, numbers and the timestamp
  out.reserve(out.size() + kAroundTexts + head.type.size() + head.id.size() + head.tenant.size() + head.sender_id.size() +
              head.corr.value_or("").size() + head.ack_for.value_or("").size() + payload.size());
  append_head(out, head);
  out += payload;
  append_tail(out, head);
}

void number_frame(std::string& frame, std::uint64_t session_seq) {
  check(!frame.empty() && frame.back() == '}', "a frame that gets a number is a JSON object");
  frame.pop_back();
  frame += ",\"session_seq\":";
  append_number(frame, session_seq);
  frame += '}';
}

FrameHead head_of(const Envelope& envelope) {
  FrameHead head{
      .type = envelope.type,
      .id = envelope.id,
      .ts = envelope.ts,
      .seq = envelope.seq,
      .session_seq = envelope.session_seq,
      .tenant = envelope.tenant,
      .role = envelope.sender.role,
      .sender_id = envelope.sender.id,
      .ack_request = envelope.ack_request,
      .flags = &envelope.flags,
  };
  if (envelope.corr) head.corr = *envelope.corr;
  if (envelope.ack_for) head.ack_for = *envelope.ack_for;
  return head;
}

std::string write_envelope(const Envelope& envelope) {
  std::string out;
  append_frame(out, head_of(envelope), envelope.payload.text());
  return out;
}

}  // namespace muster::session
