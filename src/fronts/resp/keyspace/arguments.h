// Arguments as numbers, bounds and options, and the refusals that several commands share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "command/keys.h"
#include "fronts/resp/call.h"

namespace muster::resp::keyspace {

inline constexpr const char* kNotAnInteger = "value is not an integer or out of range";
inline constexpr const char* kNotAFloat = "value is not a valid float";
inline constexpr const char* kNotPositive = "value is out of range, must be positive";
inline constexpr const char* kSyntax = "syntax error";
// The furthest that anything may expire.
inline constexpr std::int64_t kExpirySecondsMax = 10LL * 365 * 24 * 3'600;

// After "-ERR ".
inline Status bad(std::string text) { return Status::invalid_argument(std::move(text)); }
Status bad_arity(std::string_view name);  // "wrong number of arguments for '<name>' command"
Status bad_expiry(std::string_view name);

std::optional<std::int64_t> integer(std::string_view text);
std::optional<std::uint64_t> natural(std::string_view text);
std::optional<double> real(std::string_view text);  // also nan and the infinities
// A time-out in seconds, decimals allowed; 0: for ever. Nothing: negative, not a number, or longer than can be counted.
std::optional<Duration> seconds(std::string_view text);

// "5", "(5", "-inf", "+inf".
std::optional<store::ScoreBound> score_bound(std::string_view text);
// "[a", "(a"; "-" and "+" are open ends on their own side and nothing on the other.
struct LexEnd {
  enum class Kind : std::uint8_t { lowest, highest, member };
  Kind kind = Kind::member;
  store::LexBound bound;
};
std::optional<LexEnd> lex_end(std::string_view text);
// The range between two ends. Nothing: no member can be in it.
std::optional<store::LexRange> lex_range(const LexEnd& min, const LexEnd& max);

}  // namespace muster::resp::keyspace
