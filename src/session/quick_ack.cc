#include "session/quick_ack.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/json_text.h"
#include "base/time_text.h"

namespace muster::session {
namespace {

using json::is_plain;
using json::Member;
using json::MemberScan;
using json::natural_value;

// The inside of a string that stands in JSON as it is, and is as long as the envelope's texts may be.
std::optional<std::string_view> plain_text(std::string_view value) {
  if (value.size() < 2 || value.front() != '"') return std::nullopt;
  const std::string_view inside = value.substr(1, value.size() - 2);
  if (inside.empty() || inside.size() > kEnvelopeTextBytesMax || !is_plain(inside)) return std::nullopt;
  return inside;
}

// Calls `take(name, value)` for each member of a flat look at `object`. False: `take` refused one, or it is no object.
template <class Take>
bool each_member(std::string_view object, const Take& take) {
  MemberScan scan(object);
  while (const std::optional<Member> member = scan.next()) {
    const auto name = plain_text(member->name);
    if (!name || !take(*name, member->value)) return false;
  }
  return scan.is_complete();
}

// Which members of `names` were there. A name that is none of them, or comes twice, is refused.
template <std::size_t count>
class Once {
 public:
  explicit constexpr Once(const std::array<std::string_view, count>& names) : names_(names) {}
  bool add(std::string_view name) {
    for (std::size_t i = 0; i < count; ++i)
      if (names_[i] == name) {
        const bool fresh = (seen_ >> i & 1) == 0;
        seen_ |= 1U << i;
        return fresh;
      }
    return false;
  }
  // All of the first `needed` ones.
  bool has_first(std::size_t needed) const { return (seen_ & ((1U << needed) - 1)) == (1U << needed) - 1; }

 private:
  const std::array<std::string_view, count>& names_;
  std::uint32_t seen_ = 0;
};

constexpr std::array<std::string_view, 9> kEnvelope{"type", "id", "ts", "tenant", "sender", "payload", "corr", "seq", "ack"};
constexpr std::size_t kEnvelopeNeeds = 6;
constexpr std::array<std::string_view, 2> kSender{"role", "id"};
constexpr std::array<std::string_view, 1> kAck{"for"};
constexpr std::array<std::string_view, 6> kPayload{"ack_seq", "ack_bitmap", "recv_window", "ok", "for", "info"};

bool is_sender(std::string_view value) {
  Once once(kSender);
  return each_member(value,
                     [&](std::string_view name, std::string_view part) {
                       if (!once.add(name)) return false;
                       return name == "role" ? part == "\"worker\"" : plain_text(part).has_value();
                     }) &&
         once.has_first(kSender.size());
}

bool is_ack(std::string_view value) {
  Once once(kAck);
  return each_member(value, [&](std::string_view name, std::string_view part) { return once.add(name) && plain_text(part); });
}

bool take_payload(std::string_view value, QuickAck& ack) {
  WindowAck& out = ack.window;
  Once once(kPayload);
  return each_member(value,
                     [&](std::string_view name, std::string_view part) {
                       if (!once.add(name)) return false;
                       if (name == "ok") return part == "true" || part == "false";
                       if (name == "for" || name == "info") {
                         const auto text = plain_text(part);
                         if (text && name == "for") ack.acked_id = *text;
                         return text.has_value();
                       }
                       const auto number = natural_value(part);
                       if (!number) return false;
                       if (name == "ack_seq") {
                         out.ack_seq = *number;
                         return *number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
                       }
                       if (name == "ack_bitmap") {
                         out.ack_bitmap = *number;
                         return true;
                       }
                       out.recv_window = static_cast<std::uint32_t>(std::min<std::uint64_t>(*number, kSessionWindowMax));
                       return *number > 0;
                     }) &&
         once.has_first(3);
}

}  // namespace

std::optional<QuickAck> read_quick_ack(std::string_view message) {
  // Workers write the type first; whoever does not is read the long way.
  constexpr std::string_view kSpaced = R"({"type": "control.ack")";
  constexpr std::string_view kCompact = R"({"type":"control.ack")";
  if (!message.starts_with(kSpaced) && !message.starts_with(kCompact)) return std::nullopt;
  QuickAck ack;
  Once once(kEnvelope);
  const auto take = [&](std::string_view name, std::string_view value) {
    if (!once.add(name)) return false;
    if (name == "sender") return is_sender(value);
    if (name == "ack") return is_ack(value);
    if (name == "payload") return take_payload(value, ack);
    if (name == "seq") return natural_value(value).has_value();
    const auto text = plain_text(value);
    if (text && name == "ts") return parse_rfc3339(*text).has_value();
    if (text && name == "tenant") ack.tenant = *text;
    return text.has_value();
  };
  if (!each_member(message, take) || !once.has_first(kEnvelopeNeeds)) return std::nullopt;
  return ack;
}

}  // namespace muster::session
