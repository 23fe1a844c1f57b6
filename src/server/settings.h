// Every setting of the server, as data: one table that parsing, `config check`, `config show`, the flags of `serve` and
// docs/operations.md are made from or checked against.
//
// A value is written in the file as `[section] key = …`, in the environment as MUSTER_<SECTION>_<KEY> and, where `flag` is
// given, on the command line. The last of the three that speaks wins.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace muster::server {

enum class SettingType : std::uint8_t {
  text,
  path,       // a file or folder; empty for none
  boolean,    // true, false
  count,      // an integer
  bytes,      // an integer, or one with KiB, MiB, GiB
  duration,   // an integer with ms, s, m, h or d
  choice,     // one of `choices`
  listen,     // HOST:PORT or off
  listeners,  // several of HOST:PORT and unix:PATH, separated by commas, or off; an array of strings in the file too
  hex_key,    // 64 hexadecimal digits
  list,       // texts separated by commas; an array of strings in the file
  database,   // where a store is; a URL may hold a password, which is never shown
};

struct Setting {
  std::string_view section{};
  std::string_view key{};
  SettingType type = SettingType::text;
  std::string_view fallback{};  // in the form a user would write it
  std::int64_t min = 0;         // count; bytes; milliseconds of a duration
  std::int64_t max = 0;
  std::string_view choices{};  // separated by |
  bool secret = false;         // never shown
  bool reloadable = false;     // SIGHUP applies it
  std::string_view flag{};     // `--http`, or empty
  std::string_view help{};
};

std::span<const Setting> settings();
// nullptr: there is none of that name.
const Setting* find_setting(std::string_view section, std::string_view key);
// MUSTER_LISTEN_HTTP
std::string environment_name(const Setting& setting);
// "limits.body_bytes_max"
std::string full_name(const Setting& setting);
// In the order of the table, and `workers`, whose keys are names rather than settings.
std::vector<std::string_view> section_names();

// Text, path, choice, listen, listeners, hex_key, list and database values stay text; count, bytes and duration become their
// number in base units (bytes, milliseconds).
using SettingValue = std::variant<std::string, std::int64_t, bool>;

// invalid_argument names the accepted form and range. What may be secret is not repeated in the message.
Result<SettingValue> parse_setting(const Setting& setting, std::string_view text);

// The form a user would write; durations and bytes with the largest unit that divides them.
std::string format_setting(const Setting& setting, const SettingValue& value);

// "30s", "500ms"; shared with flags that are not settings.
Result<std::int64_t> parse_duration_ms(std::string_view text);

struct HostPort {
  std::string host;  // without the brackets of an IPv6 address
  std::uint16_t port = 0;
};
Result<HostPort> parse_host_port(std::string_view text);

struct ListenAddress {
  std::string host;  // or the path of a Unix socket
  std::uint16_t port = 0;
  bool is_unix = false;
};
// "127.0.0.1:6380,[::1]:6380,unix:/run/muster.sock"; empty for "off".
Result<std::vector<ListenAddress>> parse_listeners(std::string_view text);

// The candidate nearest to `word` by edit distance, or empty when none is near enough to be what was meant.
std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace muster::server
