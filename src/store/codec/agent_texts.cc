#include "store/codec/agent_texts.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "base/json_reader.h"
#include "base/sha256.h"
#include "base/utf8.h"

namespace muster::store {
namespace {

using Json = json::Tree;

const std::string& text_of(const std::string& value) { return value; }
const std::string& text_of(const ToolName& value) { return value.text(); }
template <class Tag>
std::string text_of(const UuidOf<Tag>& value) {
  return value.text();
}

template <class T>
std::string to_text(const std::vector<T>& list) {
  Json tree = Json::array();
  for (const T& one : list) tree.push_back(text_of(one));
  return json::dump(tree);
}

void add(std::vector<std::string>& list, const std::string& text) { list.push_back(text); }
void add(std::vector<ToolName>& list, const std::string& text) { list.emplace_back(text); }
template <class Tag>
void add(std::vector<UuidOf<Tag>>& list, const std::string& text) {
  if (const auto id = UuidOf<Tag>::parse(text)) list.push_back(*id);
}

template <class T>
void from_text(std::string_view text, std::vector<T>& list) {
  list.clear();
  const auto tree = json::parse(text);
  if (!tree || !tree->is_array()) return;
  for (const Json& one : *tree)
    if (const auto* found = one.get_ptr<const std::string*>()) add(list, *found);
}

bool contains(const Json& whole, const Json& part) {
  if (part.is_object()) {
    if (!whole.is_object()) return false;
    for (const auto& [name, wanted] : part.items()) {
      const auto found = whole.find(name);
      if (found == whole.end() || !contains(*found, wanted)) return false;
    }
    return true;
  }
  if (part.is_array()) {
    if (!whole.is_array()) return false;
    return std::all_of(part.begin(), part.end(), [&](const Json& wanted) {
      return std::any_of(whole.begin(), whole.end(), [&](const Json& one) { return contains(one, wanted); });
    });
  }
  return whole == part;
}

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out < 0) return std::nullopt;
  return out;
}

// What PostgreSQL takes for a text; it refuses the statement for the rest.
bool is_text(std::string_view bytes) { return is_utf8(bytes) && bytes.find('\0') == std::string_view::npos; }

constexpr std::size_t kUuidChars = 36;
constexpr std::int64_t kDayMs = 24 * 60 * 60 * 1'000;

}  // namespace

std::string list_to_text(const std::vector<std::string>& list) { return to_text(list); }
std::string list_to_text(const std::vector<ToolName>& list) { return to_text(list); }
std::string list_to_text(const std::vector<AgentId>& list) { return to_text(list); }
std::string list_to_text(const std::vector<MessageId>& list) { return to_text(list); }
void list_from_text(std::string_view text, std::vector<std::string>& list) { from_text(text, list); }
void list_from_text(std::string_view text, std::vector<ToolName>& list) { from_text(text, list); }
void list_from_text(std::string_view text, std::vector<AgentId>& list) { from_text(text, list); }
void list_from_text(std::string_view text, std::vector<MessageId>& list) { from_text(text, list); }

template <>
ToolApproval named_as(std::string_view name) {
  return parse_tool_approval(name).value_or(ToolApproval{});
}
template <>
MessageRole named_as(std::string_view name) {
  return parse_message_role(name).value_or(MessageRole{});
}
template <>
RunMode named_as(std::string_view name) {
  return parse_run_mode(name).value_or(RunMode{});
}
template <>
AgentRunState named_as(std::string_view name) {
  return parse_agent_run_state(name).value_or(AgentRunState{});
}
template <>
BatchStatus named_as(std::string_view name) {
  return parse_batch_status(name).value_or(BatchStatus{});
}
template <>
IterationTrigger named_as(std::string_view name) {
  return parse_iteration_trigger(name).value_or(IterationTrigger{});
}
template <>
ToolExecutionState named_as(std::string_view name) {
  return parse_tool_execution_state(name).value_or(ToolExecutionState{});
}
template <>
ApprovalState named_as(std::string_view name) {
  return parse_approval_state(name).value_or(ApprovalState{});
}

std::string metadata_key(std::string_view metadata) {
  const auto tree = json::parse(metadata);
  // The library keeps members in the order of their names, so its text is the same for the same content.
  return sha256_hex(tree ? json::dump(*tree) : std::string(metadata));
}

bool json_contains(std::string_view whole, std::string_view part) {
  const auto found = json::parse(whole);
  const auto wanted = json::parse(part);
  return found && wanted && contains(*found, *wanted);
}

std::string agent_cursor(const Agent& last) { return last.id.text() + last.spec.name; }

std::optional<AgentPlace> parse_agent_cursor(std::string_view cursor) {
  if (cursor.size() < kUuidChars) return std::nullopt;
  const auto id = AgentId::parse(cursor.substr(0, kUuidChars));
  if (!id || !is_text(cursor)) return std::nullopt;
  return AgentPlace{std::string(cursor.substr(kUuidChars)), *id};
}

std::string tool_cursor(const ToolPlace& last) { return fmt::format("{}.{}", last.ns, last.name); }

std::optional<ToolPlace> parse_tool_cursor(std::string_view cursor) {
  const std::size_t dot = cursor.find('.');
  if (dot == std::string_view::npos || !is_text(cursor)) return std::nullopt;
  const auto ns = number_of(cursor.substr(0, dot));
  if (!ns || *ns > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return ToolPlace{std::string(cursor.substr(dot + 1)), *ns};
}

std::string execution_cursor(const ExecutionPlace& last) { return fmt::format("{}.{}.{}", last.iteration, last.place, last.row); }

std::optional<ExecutionPlace> parse_execution_cursor(std::string_view cursor) {
  const std::size_t first = cursor.find('.');
  const std::size_t second = first == std::string_view::npos ? first : cursor.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto iteration = number_of(cursor.substr(0, first));
  const auto place = number_of(cursor.substr(first + 1, second - first - 1));
  const auto row = number_of(cursor.substr(second + 1));
  if (!iteration || !place || !row) return std::nullopt;
  return ExecutionPlace{*iteration, *place, *row};
}

std::optional<std::int64_t> parse_row_cursor(std::string_view cursor) {
  const auto row = number_of(cursor);
  return row && *row > 0 ? row : std::nullopt;
}

std::int64_t day_of(Instant at) {
  const std::int64_t ms = to_ms(at);
  return ms >= 0 ? ms / kDayMs : (ms - kDayMs + 1) / kDayMs;
}

}  // namespace muster::store
