// What the codecs of agents, sessions and runs share: ids that are UUIDs, names of states, budgets, and JSON that is kept as its
// text.
#pragma once

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "fronts/http/codec/parameters.h"
#include "fronts/http/codec/values.h"
#include "model/agent.h"
#include "model/agent_run.h"

namespace muster::http {

template <>
inline constexpr std::size_t kNamed<ToolApproval> = 2;
template <>
inline constexpr std::size_t kNamed<MessageRole> = 3;
template <>
inline constexpr std::size_t kNamed<RunMode> = 2;
template <>
inline constexpr std::size_t kNamed<AgentRunState> = 10;
template <>
inline constexpr std::size_t kNamed<BatchStatus> = 3;
template <>
inline constexpr std::size_t kNamed<IterationTrigger> = 3;
template <>
inline constexpr std::size_t kNamed<ToolExecutionState> = 5;
template <>
inline constexpr std::size_t kNamed<ApprovalState> = 4;

// `what` names it in the refusal: agent, session, execution.
Result<Uuid> parse_uuid(std::string_view what, std::string_view text);
template <class Tag>
Result<UuidOf<Tag>> parse_uuid_of(std::string_view what, std::string_view text) {
  const auto uuid = parse_uuid(what, text);
  if (!uuid.ok()) return uuid.status();
  return UuidOf<Tag>{*uuid};
}

void read_value(JsonReader& in, Uuid& out, const Range&);
inline void write_value(JsonWriter& out, const Uuid& id) { out.string(id.text()); }
inline void draw_value(Schemas& out, Of<Uuid>) { draw_type(out, "string", "uuid"); }
template <class Tag>
void read_value(JsonReader& in, UuidOf<Tag>& out, const Range& range) {
  read_value(in, out.value, range);
}
template <class Tag>
void write_value(JsonWriter& out, const UuidOf<Tag>& id) {
  out.string(id.text());
}
template <class Tag>
void draw_value(Schemas& out, Of<UuidOf<Tag>>) {
  draw_type(out, "string", "uuid");
}

// --- parameters ----------------------------------------------------------------------------------------------------

void read_parameter(QueryReader& in, const ParameterText& text, std::optional<JobId>& out);
void read_parameter_json_object(QueryReader& in, const ParameterText& text, std::string& out);
template <class Tag>
void read_parameter(QueryReader& in, const ParameterText& text, std::optional<UuidOf<Tag>>& out) {
  const auto given_text = in.text(text.name);
  if (!given_text || given_text->empty()) return;
  const auto id = parse_uuid_of<Tag>(text.name, *given_text);
  if (id.ok())
    out = *id;
  else
    in.refuse(text.name, id.status().message());
}
template <Named E>
void read_parameter(QueryReader& in, const ParameterText& text, std::optional<E>& out) {
  for (const std::size_t place : read_parameter_words(in, text.name, text.name, names_of<E>())) {
    if (out) return in.refuse(text.name, "one of them is accepted");
    out = static_cast<E>(place);
  }
}

// The query of what is about one thing of a namespace.
template <class T>
inline constexpr std::array kOfNamespace{parameter<&T::ns>("namespace", kDefaultNamespaceDoc)};

// --- JSON that is kept as its text ---------------------------------------------------------------------------------

// Any value; absent while the text is empty.
template <auto... Path>
constexpr auto json_value(std::string_view name, std::string_view doc = {}) {
  using T = Root<Path...>;
  return Field<T>{
      .name = name,
      .doc = doc,
      .read = [](JsonReader& in, T& out, const Range&) { reach<Path...>(out) = std::string(in.read_raw()); },
      .write =
          [](JsonWriter& out, std::string_view key, const T& value) {
            const std::string& text = reach<Path...>(value);
            if (text.empty()) return;
            out.plain_key(key);
            out.raw(text);
          },
      .draw = [](Schemas&) {},
  };
}

// --- objects that several requests and replies share ---------------------------------------------------------------

inline constexpr std::string_view kNextDoc = "Cursor of the next page; absent at the end.";
inline constexpr std::string_view kMetadataDoc = "Any JSON object; kept and returned.";
inline constexpr std::string_view kVariablesDoc = "A JSON object that tools see.";

inline constexpr std::array kUsageFields{
    shown<&TokenUsage::input>("input_tokens"),
    shown<&TokenUsage::output>("output_tokens"),
    shown<&TokenUsage::cache_creation>("cache_creation_input_tokens"),
    shown<&TokenUsage::cache_read>("cache_read_input_tokens"),
};

const Object<AgentBudget>& object_of(Of<AgentBudget>);
const Object<TokenUsage>& object_of(Of<TokenUsage>);

}  // namespace muster::http
