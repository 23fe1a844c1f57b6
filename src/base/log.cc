// The log writer. A line is built first and leaves in one write, so that lines of several threads and of several
// processes that share stderr do not mix; no buffer means that nothing is lost when the process dies.
#include "base/log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <iterator>
#include <mutex>

#include "base/time_text.h"
#include "base/utf8.h"

namespace muster::log {
namespace {

struct LevelName {
  Level level;
  std::string_view name;
};

constexpr std::array kLevelNames{
    LevelName{Level::debug, "debug"},
    LevelName{Level::info, "info"},
    LevelName{Level::warn, "warn"},
    LevelName{Level::error, "error"},
};

std::atomic<Level> lowest_written{Level::info};
std::mutex write_mutex;  // leaf; keeps a line whole when the kernel takes it in several pieces

void append_string(std::string& out, std::string_view text) {
  out.push_back('"');
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out.append("\\ufffd");
    } else if (length > 1) {
      out.append(text.substr(0, length));
    } else if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      out.append("\\n");
    } else if (c == '\r') {
      out.append("\\r");
    } else if (c == '\t') {
      out.append("\\t");
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out.push_back(c);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out.push_back('"');
}

struct AppendValue {
  std::string& out;
  void operator()(const std::string& text) const { append_string(out, text); }
  void operator()(std::int64_t number) const { fmt::format_to(std::back_inserter(out), "{}", number); }
  void operator()(bool flag) const { out.append(flag ? "true" : "false"); }
  void operator()(double number) const {
    // JSON has no word for infinity or "not a number".
    if (std::isfinite(number))
      fmt::format_to(std::back_inserter(out), "{}", number);
    else
      out.append("null");
  }
};

}  // namespace

void set_level(Level level) { lowest_written.store(level, std::memory_order_relaxed); }

Level level() { return lowest_written.load(std::memory_order_relaxed); }

std::optional<Level> parse_level(std::string_view name) {
  for (const LevelName& entry : kLevelNames)
    if (entry.name == name) return entry.level;
  return std::nullopt;
}

std::string_view to_string(Level level) {
  for (const LevelName& entry : kLevelNames)
    if (entry.level == level) return entry.name;
  return "error";
}

std::string format_line(Level level, Instant at, std::string_view message, std::initializer_list<Field> fields) {
  std::string out;
  out.reserve(128);
  out.append("{\"ts\":\"").append(to_rfc3339(at)).append("\",\"level\":\"").append(to_string(level)).append("\",\"msg\":");
  append_string(out, message);
  for (const Field& field : fields) {
    out.push_back(',');
    append_string(out, field.key);
    out.push_back(':');
    std::visit(AppendValue{out}, field.value);
  }
  out.append("}\n");
  return out;
}

void write(Level level, std::string_view message, std::initializer_list<Field> fields) {
  if (level < log::level()) return;
  const std::string line = format_line(level, RealClock().now(), message, fields);
  const std::lock_guard lock(write_mutex);
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // A log that cannot be written has nowhere to say so, and must not stop the server.
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace muster::log
