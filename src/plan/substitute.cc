// From a template and one input to the words that run.
//
// `{{input.NAME}}` in an argument stands for a top-level field of the input. One pass: what was put in is never read as a
// template again. Everything is judged afterwards, so that an input cannot say what a plan may not.
#include <fmt/format.h>

#include <algorithm>

#include "base/json_reader.h"
#include "plan/plan.h"

namespace muster::plan {
namespace {

using Json = json::Tree;

constexpr std::string_view kOpen = "{{input.";
constexpr std::string_view kClose = "}}";

bool is_name_character(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// Calls literal(text) and field(name) for the parts of an argument, in order. What only looks like a placeholder is literal.
template <class Literal, class Field>
void split(std::string_view text, Literal literal, Field field) {
  while (true) {
    const std::size_t open = text.find(kOpen);
    if (open == text.npos) break;
    const std::size_t start = open + kOpen.size();
    std::size_t end = start;
    while (end < text.size() && is_name_character(text[end])) ++end;
    if (end == start || text.substr(end, kClose.size()) != kClose) {
      literal(text.substr(0, start));
      text.remove_prefix(start);
      continue;
    }
    literal(text.substr(0, open));
    field(std::string(text.substr(start, end - start)));
    text.remove_prefix(end + kClose.size());
  }
  literal(text);
}

Result<Json> parse_input(std::string_view text) {
  if (text.empty()) return Json();
  auto input = json::parse(text);
  if (!input) return Status::invalid_argument("Invalid JSON: the input is not JSON");
  return *std::move(input);
}

Status require_fields(const Document& plan, const Json& input) {
  std::vector<std::string> missing;
  for (const Task& task : plan.tasks)
    for (const std::string& arg : task.args)
      split(
          arg, [](std::string_view) {},
          [&](const std::string& name) {
            const bool known =
                (input.is_object() && input.contains(name)) || std::find(missing.begin(), missing.end(), name) != missing.end();
            if (!known) missing.push_back(name);
          });
  if (missing.empty()) return {};
  return Status::invalid_argument(fmt::format("Missing required input fields: {}", fmt::join(missing, ", ")));
}

Result<std::string> text_of(const std::string& name, const Json& value) {
  if (const auto* text = value.get_ptr<const std::string*>(); text != nullptr) return *text;
  if (value.is_null()) return std::string();
  if (value.is_number() || value.is_boolean()) return value.dump();
  return Status::invalid_argument(
      fmt::format("Input field '{}' has unsupported type (must be string, number, or boolean)", name));
}

Result<std::string> filled(std::string_view arg, const Json& input) {
  std::string out;
  Status problem;
  split(
      arg, [&](std::string_view text) { out.append(text); },
      [&](const std::string& name) {
        const Json* value = json::member(input, name.c_str());
        const auto text = text_of(name, value != nullptr ? *value : Json());
        if (text.ok())
          out.append(*text);
        else if (problem.ok())
          problem = text.status();
      });
  if (!problem.ok()) return problem;
  return out;
}

Status judge(const Task& task) {
  if (Status status = validate_word(fmt::format("Task {} command", task.number), task.command); !status.ok()) return status;
  for (std::size_t i = 0; i < task.args.size(); ++i) {
    const std::string what = fmt::format("Task {} argument {}", task.number, i + 1);
    // Bytes, not characters: what counts from here on is what the operating system takes.
    if (task.args[i].size() > kArgumentMax)
      return Status::invalid_argument(fmt::format("{} is longer than {} bytes after substitution", what, kArgumentMax));
    if (Status status = validate_word(what, task.args[i]); !status.ok()) return status;
  }
  return {};
}

}  // namespace

Result<Document> substitute(Document plan, std::string_view input_text) {
  const Result<Json> input = parse_input(input_text);
  if (!input.ok()) return input.status();
  if (Status status = require_fields(plan, *input); !status.ok()) return status;
  for (Task& task : plan.tasks) {
    for (std::string& arg : task.args) {
      Result<std::string> text = filled(arg, *input);
      if (!text.ok()) return text.status();
      arg = std::move(*text);
    }
    if (Status status = judge(task); !status.ok()) return status;
  }
  return plan;
}

}  // namespace muster::plan
