// What stands in a plan: its JSON read into values, and everything about a plan that is wrong, said before it is stored.
//
// Shared by the commands that take plans and by the worker that runs them. Pure: text in, values out.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "model/capability.h"

namespace muster::plan {

inline constexpr std::size_t kTasksMax = 100;
inline constexpr std::size_t kIdBytesMax = 64;
inline constexpr std::size_t kDescriptionMax = 1024;  // characters
inline constexpr std::size_t kCommandMax = 256;       // characters
inline constexpr std::size_t kArgumentsMax = 100;     // of one task
inline constexpr std::size_t kArgumentMax = 65'536;   // characters
inline constexpr std::uint32_t kTaskSecondsMax = 3600;
inline constexpr std::uint32_t kTaskSecondsDefault = 300;

struct Task {
  std::uint32_t number = 0;  // from 1
  std::string command;
  std::vector<std::string> args;
  std::optional<std::uint32_t> timeout_secs;
  std::optional<std::uint32_t> input_from_task;  // an earlier one, whose stdout it reads
};

struct Document {
  std::string id;
  std::string description;
  std::vector<Task> tasks;
};

// Reads and checks a plan. invalid_argument: the message is the dialect's own, ready to be sent: "Invalid JSON: …", "Plan
// validation failed: <one>, <other>", "plan_id must be between …". Unknown fields are allowed and kept in the text. `null` for an
// optional field counts as absent.
Result<Document> parse(std::string_view json);

// Whether two texts are the same plan: neither whitespace nor the order of members makes another one, nor does `job_id`, which
// AGX draws anew for every submission.
bool is_same(std::string_view one, std::string_view other);

// `tool:<name>` for every command, by its last path component. What a worker must offer to run the whole plan.
CapabilitySet needs(const Document& plan);
std::string tool_capability(std::string_view command);

// 1 to 64 of [A-Za-z0-9_-]; the message names the field: "<field> must be between 1 and 64 characters" or "<field> contains
// invalid characters (only alphanumeric, hyphens, and underscores allowed)".
Status validate_identifier(std::string_view field, std::string_view text);

// Why a command or argument is not run: shell characters, `..`, control or invisible characters. ok: it may be.
Status validate_word(std::string_view what, std::string_view text);

// Puts the fields of `input` (JSON text) where args say {{input.NAME}}, then judges every word again. Messages as in the digest:
// "Missing required input fields: a, b"; "Input field 'x' has unsupported type (must be string, number, or boolean)".
Result<Document> substitute(Document plan, std::string_view input);

}  // namespace muster::plan
