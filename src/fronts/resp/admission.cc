#include "fronts/resp/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/ascii.h"
#include "base/utf8.h"

namespace muster::resp {
namespace {

// Commands that name the argument which must be a bulk string.
struct NamedArgument {
  std::string_view command;
  std::size_t place;
  std::string_view what;
};
constexpr std::array kNamedArguments{
    NamedArgument{"AUTH", 1, "key"},    NamedArgument{"SET", 2, "value"},     NamedArgument{"LPUSH", 2, "value"},
    NamedArgument{"RPUSH", 2, "value"}, NamedArgument{"LREM", 3, "element"},  NamedArgument{"ZADD", 3, "member"},
    NamedArgument{"ZREM", 2, "member"}, NamedArgument{"ZSCORE", 2, "member"}, NamedArgument{"HSET", 3, "value"},
};

// Of Redis, and missed by clients that need them.
struct Missing {
  std::span<const std::string_view> names;
  std::string_view what;
};
constexpr std::array<std::string_view, 8> kScripts{"EVAL",   "EVALSHA", "EVAL_RO",  "EVALSHA_RO",
                                                   "SCRIPT", "FCALL",   "FCALL_RO", "FUNCTION"};
constexpr std::array<std::string_view, 14> kStreams{"XADD",     "XREAD",  "XREADGROUP", "XGROUP", "XACK",
                                                    "XLEN",     "XRANGE", "XREVRANGE",  "XDEL",   "XTRIM",
                                                    "XPENDING", "XCLAIM", "XAUTOCLAIM", "XINFO"};
constexpr std::array kMissing{Missing{kScripts, "scripts"}, Missing{kStreams, "streams"}};

constexpr std::array<std::string_view, 8> kAllowedWhileSubscribed{"SUBSCRIBE", "UNSUBSCRIBE", "PSUBSCRIBE", "PUNSUBSCRIBE",
                                                                  "PING",      "QUIT",        "RESET",      "AUTH"};

std::string arity_text(const Entry& entry) {
  if (!entry.arity_error.empty()) return std::string(entry.arity_error);
  return fmt::format("wrong number of arguments for '{}' command", lower(entry.name));
}

std::string not_bulk_text(const Entry& entry, std::size_t place) {
  for (const NamedArgument& each : kNamedArguments)
    if (each.command == entry.name && each.place == place)
      return fmt::format("{} {} must be a bulk string", entry.name, each.what);
  return std::string(kExpectedBulk);
}

}  // namespace

std::string unknown_command(std::string_view name) {
  const std::string_view shown = name.substr(0, kShownNameBytesMax);
  for (const auto& [names, what] : kMissing)
    if (std::find(names.begin(), names.end(), name) != names.end())
      return fmt::format("unknown command '{}': {} are not known here; docs/protocol-resp.md has what is", shown, what);
  for (const std::string_view family : {"PLAN", "ACTION"})
    if (name.size() > family.size() && name.starts_with(family) && name[family.size()] == '.')
      return fmt::format("Protocol error: Unknown {} command: {}", family, shown);
  return fmt::format("unknown command '{}'", shown);
}

std::string not_permitted(std::string_view name) { return fmt::format("NOPERM this key may not use '{}'", name); }

std::string not_while_subscribed(std::string_view name) {
  return fmt::format("Can't execute '{}': only (P)SUBSCRIBE / (P)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context",
                     lower(name));
}

bool allowed_while_subscribed(std::string_view name) {
  return std::find(kAllowedWhileSubscribed.begin(), kAllowedWhileSubscribed.end(), name) != kAllowedWhileSubscribed.end();
}

std::string objection_to_form(const Entry& entry, const wire::Words& words) {
  const std::size_t size = words.words.size();
  if (size < entry.least || (entry.most != kMany && size > entry.most)) return arity_text(entry);
  if (words.not_bulk != wire::kNone) return not_bulk_text(entry, words.not_bulk);
  bool utf8 = true;
  for_each_key(entry, words.words, [&](const std::string& key) { utf8 = utf8 && is_utf8(key); });
  return utf8 ? std::string() : std::string(kInvalidUtf8);
}

}  // namespace muster::resp
