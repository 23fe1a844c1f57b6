// Arguments of the commands that any type of key understands.
#include <array>
#include <limits>

#include "base/ascii.h"
#include "fronts/resp/core.h"
#include "fronts/resp/keyspace/arguments.h"
#include "fronts/resp/keyspace/renders.h"
#include "fronts/resp/keyspace/words.h"

namespace muster::resp::keyspace {
namespace {

namespace key = store::key;
constexpr std::string_view kAnyGroup = "generic";
constexpr std::int64_t kMsPerSecond = 1'000;

std::vector<std::string> keys_from(const Call& call, std::size_t first) {
  return {call.args().begin() + static_cast<std::ptrdiff_t>(first), call.args().end()};
}

Result<Request> read_del(Call& call) { return Request(key::Delete{keys_from(call, 1)}, render_plain); }
Result<Request> read_exists(Call& call) { return Request(key::Exists{keys_from(call, 1)}, render_plain); }
Result<Request> read_type(Call& call) { return Request(key::TypeOf{call.arg(1)}, render_type); }

Result<key::ExpireWhen> read_when(const Call& call) {
  bool none = false, some = false, later = false, earlier = false;
  for (std::size_t i = 3; i < call.size(); ++i) {
    const std::string option = upper(call.arg(i));
    none = none || option == "NX";
    some = some || option == "XX";
    later = later || option == "GT";
    earlier = earlier || option == "LT";
    if (option != "NX" && option != "XX" && option != "GT" && option != "LT") return bad(kSyntax);
  }
  if (none && (some || later || earlier)) return bad("NX and XX, GT or LT options at the same time are not compatible");
  if (later && earlier) return bad("GT and LT options at the same time are not compatible");
  if (some && earlier) return bad("XX and LT options at the same time are not supported");
  // A key without an expiry never expires later than it would, so GT alone says XX as well.
  if (later) return key::ExpireWhen::if_later;
  if (earlier) return key::ExpireWhen::if_earlier;
  if (none) return key::ExpireWhen::if_none;
  return some ? key::ExpireWhen::if_some : key::ExpireWhen::always;
}

struct ExpireForm {
  std::int64_t unit = 1;  // milliseconds
  bool relative = true;
};
Result<Request> read_expire_as(Call& call, ExpireForm form) {
  const auto value = integer(call.arg(2));
  if (!value) return bad(kNotAnInteger);
  const auto when = read_when(call);
  if (!when.ok()) return when.status();
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / form.unit / 2;
  if (*value > most || *value < -most) return bad_expiry(call.name());
  return Request(key::Expire{call.arg(1), from_ms(*value * form.unit), form.relative, *when}, render_plain);
}
Result<Request> read_expire(Call& call) { return read_expire_as(call, {kMsPerSecond, true}); }
Result<Request> read_pexpire(Call& call) { return read_expire_as(call, {1, true}); }
Result<Request> read_expireat(Call& call) { return read_expire_as(call, {kMsPerSecond, false}); }
Result<Request> read_pexpireat(Call& call) { return read_expire_as(call, {1, false}); }

Result<Request> read_ttl(Call& call) { return Request(key::TimeLeft{call.arg(1)}, render_seconds); }
Result<Request> read_pttl(Call& call) { return Request(key::TimeLeft{call.arg(1)}, render_plain); }
Result<Request> read_expiretime(Call& call) { return Request(key::TimeLeft{call.arg(1), true}, render_seconds_at); }
Result<Request> read_pexpiretime(Call& call) { return Request(key::TimeLeft{call.arg(1), true}, render_plain); }
Result<Request> read_persist(Call& call) { return Request(key::Persist{call.arg(1)}, render_plain); }
Result<Request> read_rename(Call& call) { return Request(key::Rename{call.arg(1), call.arg(2)}, render_plain); }
Result<Request> read_renamenx(Call& call) { return Request(key::Rename{call.arg(1), call.arg(2), true}, render_plain); }
Result<Request> read_randomkey(Call&) { return Request(key::RandomKey{}, render_plain); }
Result<Request> read_dbsize(Call&) { return Request(key::Count{}, render_plain); }

Result<Request> read_flush(Call& call) {
  if (!call.core().options.compat_flags.flush_allowed)
    return bad(std::string(call.name()) + " is not allowed here; the setting resp.flush_allowed allows it");
  if (call.size() == 2 && upper(call.arg(1)) != "SYNC" && upper(call.arg(1)) != "ASYNC") return bad(kSyntax);
  return Request(key::Clear{}, render_plain);
}

constexpr std::array kAnyWords{
    word("DEL", {2, kMany, "DEL requires exactly one argument"}, kAllKeys, kWrites, kAnyGroup, "Deletes keys.", read_del),
    word("UNLINK", {2, kMany}, kAllKeys, kWrites, kAnyGroup, "Deletes keys.", read_del),
    word("EXISTS", {2, kMany, "EXISTS requires exactly one argument"}, kAllKeys, kReads, kAnyGroup,
         "How many of the keys are there.", read_exists),
    word("TOUCH", {2, kMany}, kAllKeys, kReads, kAnyGroup, "How many of the keys are there.", read_exists),
    word("TYPE", {2, 2}, kOneKey, kReads, kAnyGroup, "The type of a key.", read_type),
    word("EXPIRE", {3, kMany}, kOneKey, kWrites, kAnyGroup, "Lets a key expire in seconds.", read_expire),
    word("PEXPIRE", {3, kMany}, kOneKey, kWrites, kAnyGroup, "Lets a key expire in milliseconds.", read_pexpire),
    word("EXPIREAT", {3, kMany}, kOneKey, kWrites, kAnyGroup, "Lets a key expire at a time in seconds.", read_expireat),
    word("PEXPIREAT", {3, kMany}, kOneKey, kWrites, kAnyGroup, "Lets a key expire at a time in milliseconds.", read_pexpireat),
    word("TTL", {2, 2, "TTL requires exactly one argument"}, kOneKey, kReads, kAnyGroup, "Seconds until a key expires.",
         read_ttl),
    word("PTTL", {2, 2}, kOneKey, kReads, kAnyGroup, "Milliseconds until a key expires.", read_pttl),
    word("EXPIRETIME", {2, 2}, kOneKey, kReads, kAnyGroup, "When a key expires, in seconds.", read_expiretime),
    word("PEXPIRETIME", {2, 2}, kOneKey, kReads, kAnyGroup, "When a key expires, in milliseconds.", read_pexpiretime),
    word("PERSIST", {2, 2}, kOneKey, kWrites, kAnyGroup, "Lets a key stay for ever.", read_persist),
    word("RENAME", {3, 3}, kTwoKeys, kWrites, kAnyGroup, "Gives a key another name.", read_rename),
    word("RENAMENX", {3, 3}, kTwoKeys, kWrites, kAnyGroup, "Gives a key another name if that is free.", read_renamenx),
    word("RANDOMKEY", {1, 1}, kNoKeys, kReads, kAnyGroup, "One of the ordinary keys.", read_randomkey),
    word("DBSIZE", {1, 1}, kNoKeys, kReads, "server", "How many ordinary keys there are.", read_dbsize),
    word("FLUSHDB", {1, 2}, kNoKeys, kClears, "server", "Deletes all ordinary keys, where that is allowed.", read_flush),
    word("FLUSHALL", {1, 2}, kNoKeys, kClears, "server", "Deletes all ordinary keys, where that is allowed.", read_flush),
};

}  // namespace

std::span<const Word> any_words() { return kAnyWords; }

}  // namespace muster::resp::keyspace
