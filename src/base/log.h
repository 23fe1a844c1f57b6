// JSON lines on stderr: `ts, level, msg` and the fields given. Thread-safe. Secrets are never passed here.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"

namespace muster::log {

enum class Level : std::uint8_t { debug, info, warn, error };

struct Field {
  std::string_view key;  // `job_id`, `worker_id`, `code`, …: the names of docs/operations.md
  std::variant<std::string, std::int64_t, double, bool> value;
};

void set_level(Level level);
Level level();
std::optional<Level> parse_level(std::string_view name);
std::string_view to_string(Level level);

// The line as it is written, with its newline. Bytes that are not UTF-8 become U+FFFD, so that a line always parses.
std::string format_line(Level level, Instant at, std::string_view message, std::initializer_list<Field> fields);

void write(Level level, std::string_view message, std::initializer_list<Field> fields = {});

inline void debug(std::string_view message, std::initializer_list<Field> fields = {}) { write(Level::debug, message, fields); }
inline void info(std::string_view message, std::initializer_list<Field> fields = {}) { write(Level::info, message, fields); }
inline void warn(std::string_view message, std::initializer_list<Field> fields = {}) { write(Level::warn, message, fields); }
inline void error(std::string_view message, std::initializer_list<Field> fields = {}) { write(Level::error, message, fields); }

}  // namespace muster::log
