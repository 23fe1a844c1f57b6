// Why a command is not even begun: unknown, not allowed, wrong number or kind of arguments. Texts are those of the dialect.
// The session asks; nothing here has state.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "command/context.h"
#include "fronts/resp/commands.h"
#include "fronts/resp/wire/parser.h"

namespace muster::resp {

inline constexpr std::string_view kNoAuth = "NOAUTH Authentication required";
inline constexpr std::string_view kExpectedBulk = "Protocol error: Expected bulk string";
inline constexpr std::string_view kInvalidUtf8 = "Protocol error: Invalid UTF-8 in bulk string";
inline constexpr std::size_t kShownNameBytesMax = 128;  // of a name that a client made up, in an error or a listing

// All texts go after "-ERR ".
std::string unknown_command(std::string_view name);
std::string not_permitted(std::string_view name);
std::string not_while_subscribed(std::string_view name);

// In RESP2 a connection that subscribed carries messages; only these may stand between them.
bool allowed_while_subscribed(std::string_view name);

// Arity, elements that are no bulk strings, keys that are not UTF-8. Empty: none.
std::string objection_to_form(const Entry& entry, const wire::Words& words);

// Calls `visit` with each key among the arguments.
template <class Visit>
void for_each_key(const Entry& entry, const Args& args, Visit visit) {
  if (entry.first_key <= 0 || entry.key_step <= 0) return;
  const auto size = static_cast<std::ptrdiff_t>(args.size());
  const std::ptrdiff_t last = entry.last_key < 0 ? size + entry.last_key : entry.last_key;
  for (std::ptrdiff_t i = entry.first_key; i <= last && i < size; i += entry.key_step) visit(args[static_cast<std::size_t>(i)]);
}

}  // namespace muster::resp
