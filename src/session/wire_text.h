// Pieces of JSON text appended to a string: what the writers of frames are made of. Nothing is allocated beyond the string's own
// growth, because each frame of the hot path passes here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace muster::session {

// `text` in quotes, escaped as JSON demands. Bytes that are not UTF-8 become U+FFFD.
void append_quoted(std::string& out, std::string_view text);
void append_number(std::string& out, std::uint64_t number);
// In quotes, as AstraFlow peers write it: `"2026-11-15T07:57:26.094000+00:00"`.
void append_timestamp(std::string& out, Instant at);
// Whole seconds, as in `expires_at`: `"2026-11-15T08:57:25+00:00"`. The fraction is cut.
void append_timestamp_seconds(std::string& out, Instant at);

}  // namespace muster::session
