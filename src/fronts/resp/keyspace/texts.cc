// Arguments of the commands about texts.
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
constexpr std::string_view kTextGroup = "string";
constexpr std::int64_t kMsPerSecond = 1'000;

struct Expiry {
  Instant at{};
  bool relative = false;
};

bool is_expiry_option(std::string_view option) {
  return option == "EX" || option == "PX" || option == "EXAT" || option == "PXAT";
}

// SET's own words for what is wrong with an expiry.
Result<Expiry> read_expiry(const Call& call, Instant now, std::size_t option_at) {
  const std::string option = upper(call.arg(option_at));
  if (option_at + 1 >= call.size()) return bad(option + " requires a value");
  const auto value = natural(call.arg(option_at + 1));
  if (!value) return bad(option + " value must be an integer");
  const bool relative = option.size() == 2;
  const std::uint64_t unit = option.starts_with("EX") ? kMsPerSecond : 1;
  const std::int64_t most = kExpirySecondsMax * kMsPerSecond + (relative ? 0 : to_ms(now));
  if (*value > static_cast<std::uint64_t>(most) / unit)
    return bad(relative ? "Expiry time too far in future (max 10 years)" : "Expiry timestamp too far in future (max 10 years)");
  return Expiry{from_ms(static_cast<std::int64_t>(*value * unit)), relative};
}

Result<Request> read_get(Call& call) { return Request(key::Get{call.arg(1)}, render_plain); }

Result<Request> read_set(Call& call) {
  key::Set set{.key = call.arg(1), .value = call.arg(2)};
  for (std::size_t i = 3; i < call.size(); ++i) {
    const std::string option = upper(call.arg(i));
    if (is_expiry_option(option)) {
      const auto expiry = read_expiry(call, call.core().now(), i++);
      if (!expiry.ok()) return expiry.status();
      if (set.expires_at || set.keep_expiry) return bad(kSyntax);
      set.expires_at = expiry->at;
      set.relative = expiry->relative;
    } else if (option == "NX" || option == "XX") {
      if (set.when != key::SetWhen::always) return bad(kSyntax);
      set.when = option == "NX" ? key::SetWhen::if_missing : key::SetWhen::if_present;
    } else if (option == "KEEPTTL") {
      if (set.expires_at) return bad(kSyntax);
      set.keep_expiry = true;
    } else if (option == "GET") {
      set.answer_old = true;
    } else {
      return bad("Unknown SET option: " + option);
    }
  }
  return Request(std::move(set), render_plain);
}

Result<Request> read_set_for(Call& call, std::int64_t unit) {
  const auto time = integer(call.arg(2));
  if (!time) return bad(kNotAnInteger);
  if (*time <= 0 || *time > kExpirySecondsMax * kMsPerSecond / unit) return bad_expiry(call.name());
  return Request(key::Set{.key = call.arg(1), .value = call.arg(3), .expires_at = from_ms(*time * unit), .relative = true},
                 render_plain);
}
Result<Request> read_setex(Call& call) { return read_set_for(call, kMsPerSecond); }
Result<Request> read_psetex(Call& call) { return read_set_for(call, 1); }

Result<Request> read_setnx(Call& call) {
  return Request(key::Set{.key = call.arg(1), .value = call.arg(2), .when = key::SetWhen::if_missing}, render_flag);
}
Result<Request> read_getset(Call& call) {
  return Request(key::Set{.key = call.arg(1), .value = call.arg(2), .answer_old = true}, render_plain);
}
Result<Request> read_getdel(Call& call) { return Request(key::GetDelete{call.arg(1)}, render_plain); }

Result<Request> read_getex(Call& call) {
  key::GetExpire get{.key = call.arg(1)};
  if (call.size() == 2) return Request(std::move(get), render_plain);
  const std::string option = upper(call.arg(2));
  if (option == "PERSIST" && call.size() == 3) {
    get.persist = true;
  } else if (is_expiry_option(option) && call.size() == 4) {
    const auto value = integer(call.arg(3));
    if (!value) return bad(kNotAnInteger);
    const auto expiry = read_expiry(call, call.core().now(), 2);
    if (*value <= 0 || !expiry.ok()) return bad_expiry(call.name());
    get.expires_at = expiry->at;
    get.relative = expiry->relative;
  } else {
    return bad(kSyntax);
  }
  return Request(std::move(get), render_plain);
}

Result<Request> read_mget(Call& call) {
  return Request(key::GetMany{{call.args().begin() + 1, call.args().end()}}, render_plain);
}

Result<Request> read_pairs(Call& call, bool only_if_all_missing) {
  if (call.size() % 2 == 0) return bad_arity(call.name());
  key::SetMany set;
  set.only_if_all_missing = only_if_all_missing;
  for (std::size_t i = 1; i + 1 < call.size(); i += 2) set.pairs.push_back({call.arg(i), call.arg(i + 1)});
  return Request(std::move(set), render_plain);
}
Result<Request> read_mset(Call& call) { return read_pairs(call, false); }
Result<Request> read_msetnx(Call& call) { return read_pairs(call, true); }

Result<Request> read_append(Call& call) { return Request(key::Append{call.arg(1), call.arg(2)}, render_plain); }
Result<Request> read_strlen(Call& call) { return Request(key::Length{call.arg(1)}, render_plain); }

Result<Request> read_getrange(Call& call) {
  const auto start = integer(call.arg(2));
  const auto stop = integer(call.arg(3));
  if (!start || !stop) return bad(kNotAnInteger);
  return Request(key::GetRange{call.arg(1), *start, *stop}, render_plain);
}

Result<Request> read_setrange(Call& call) {
  const auto offset = integer(call.arg(2));
  if (!offset) return bad(kNotAnInteger);
  if (*offset < 0) return bad("offset is out of range");
  return Request(key::SetRange{call.arg(1), static_cast<std::uint64_t>(*offset), call.arg(3)}, render_plain);
}

Result<Request> read_incr(Call& call) { return Request(key::Increment{call.arg(1), 1}, render_plain); }
Result<Request> read_decr(Call& call) { return Request(key::Increment{call.arg(1), -1}, render_plain); }
Result<Request> read_incrby(Call& call) {
  const auto by = integer(call.arg(2));
  if (!by) return bad(kNotAnInteger);
  return Request(key::Increment{call.arg(1), *by}, render_plain);
}
Result<Request> read_decrby(Call& call) {
  const auto by = integer(call.arg(2));
  if (!by) return bad(kNotAnInteger);
  if (*by == std::numeric_limits<std::int64_t>::min()) return bad("decrement would overflow");
  return Request(key::Increment{call.arg(1), -*by}, render_plain);
}
Result<Request> read_incrbyfloat(Call& call) {
  const auto by = real(call.arg(2));
  if (!by || *by != *by) return bad(kNotAFloat);
  return Request(key::IncrementReal{call.arg(1), *by}, render_plain);
}

constexpr std::array kTextWords{
    word("GET", {2, 2, "GET requires exactly one argument"}, kOneKey, kReads, kTextGroup, "The text of a key.", read_get),
    word("SET", {3, kMany, "SET requires at least two arguments"}, kOneKey, kWrites, kTextGroup,
         "Makes a key this text; EX, PX, EXAT, PXAT, KEEPTTL, NX, XX, GET.", read_set),
    word("SETEX", {4, 4}, kOneKey, kWrites, kTextGroup, "Makes a key this text for so many seconds.", read_setex),
    word("PSETEX", {4, 4}, kOneKey, kWrites, kTextGroup, "Makes a key this text for so many milliseconds.", read_psetex),
    word("SETNX", {3, 3}, kOneKey, kWrites, kTextGroup, "Makes a key this text if there is none.", read_setnx),
    word("GETSET", {3, 3}, kOneKey, kWrites, kTextGroup, "Makes a key this text and answers the old one.", read_getset),
    word("GETDEL", {2, 2}, kOneKey, kWrites, kTextGroup, "The text of a key, which is deleted.", read_getdel),
    word("GETEX", {2, kMany}, kOneKey, kWrites, kTextGroup, "The text of a key, whose expiry may be changed.", read_getex),
    word("MGET", {2, kMany}, kAllKeys, kReads, kTextGroup, "The texts of several keys.", read_mget),
    word("MSET", {3, kMany}, kEveryOther, kWrites, kTextGroup, "Makes several keys texts.", read_mset),
    word("MSETNX", {3, kMany}, kEveryOther, kWrites, kTextGroup, "Makes several keys texts if none of them is there.",
         read_msetnx),
    word("APPEND", {3, 3}, kOneKey, kWrites, kTextGroup, "Lengthens a text.", read_append),
    word("STRLEN", {2, 2}, kOneKey, kReads, kTextGroup, "How many bytes a text has.", read_strlen),
    word("GETRANGE", {4, 4}, kOneKey, kReads, kTextGroup, "A part of a text.", read_getrange),
    word("SUBSTR", {4, 4}, kOneKey, kReads, kTextGroup, "A part of a text.", read_getrange),
    word("SETRANGE", {4, 4}, kOneKey, kWrites, kTextGroup, "Overwrites a part of a text.", read_setrange),
    word("INCR", {2, 2}, kOneKey, kWrites, kTextGroup, "Adds one to a number.", read_incr),
    word("DECR", {2, 2}, kOneKey, kWrites, kTextGroup, "Takes one from a number.", read_decr),
    word("INCRBY", {3, 3}, kOneKey, kWrites, kTextGroup, "Adds to a number.", read_incrby),
    word("DECRBY", {3, 3}, kOneKey, kWrites, kTextGroup, "Takes from a number.", read_decrby),
    word("INCRBYFLOAT", {3, 3}, kOneKey, kWrites, kTextGroup, "Adds to a number with decimals.", read_incrbyfloat),
};

}  // namespace

std::span<const Word> text_words() { return kTextWords; }

}  // namespace muster::resp::keyspace
