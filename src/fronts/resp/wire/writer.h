// Replies as bytes, in RESP2 and in RESP3. Functions append to what is being built; sizes are the caller's to get right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::resp {

enum class Protocol : std::uint8_t { resp2 = 2, resp3 = 3 };

namespace wire {

void simple(std::string& out, std::string_view text);  // +OK
// "-ERR <text>"; CR and LF become spaces. `error_as_is` when the text brings its own first word (WRONGTYPE, NOAUTH).
void error(std::string& out, std::string_view text);
void error_as_is(std::string& out, std::string_view text);
void integer(std::string& out, std::int64_t value);
void bulk(std::string& out, std::string_view text);
void null(std::string& out, Protocol protocol);        // $-1 or _
void null_array(std::string& out, Protocol protocol);  // *-1 or _
void array(std::string& out, std::size_t count);
void map(std::string& out, std::size_t pairs, Protocol protocol);   // RESP2: an array of twice as many
void set(std::string& out, std::size_t count, Protocol protocol);   // RESP2: an array
void push(std::string& out, std::size_t count, Protocol protocol);  // RESP2: an array
void real(std::string& out, double value, Protocol protocol);       // RESP2: a bulk string
void boolean(std::string& out, bool value, Protocol protocol);      // RESP2: 1 or 0

// A double as the wire writes it: without exponent or trailing zeros where that is exact ("1700000000", "1.5"), inf, -inf.
std::string format_real(double value);

// The whole reply at once.
std::string ok();
std::string error_reply(std::string_view text);
std::string integer_reply(std::int64_t value);
std::string bulk_reply(std::string_view text);
std::string null_reply(Protocol protocol);

}  // namespace wire
}  // namespace muster::resp
