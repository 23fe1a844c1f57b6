// Reading a plan: first its form, field by field, where everything that is wrong is told at once; then what only the whole can
// tell: numbering, references, words that are not run, tools that cannot be asked for.
#include "plan/plan.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/json_reader.h"
#include "model/limits.h"

namespace muster::plan {
namespace {

using Json = json::Tree;

constexpr std::size_t kShownCharacters = 32;  // of a refused text; a plan's content is nobody's business but its owner's
constexpr std::size_t kProblemsMax = 10;      // told in one message

static_assert(kTasksMax == limits::kPlanTasksMax);

Status refuse(std::string message) { return Status::invalid_argument(std::move(message)); }
Status refuse_plan(std::string_view why) { return refuse(fmt::format("Plan validation failed: {}", why)); }

// --- JSON -----------------------------------------------------------------------------------------------------------

// Where the parser stopped, and no word of what it read there.
std::string place_of(std::string_view text, std::size_t byte) {
  if (byte > text.size()) return fmt::format("the text ends too early, after {} bytes", text.size());
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const std::size_t line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
  return fmt::format("syntax error at line {} column {}", line, column);
}

Result<Json> read_json(std::string_view text) {
  if (text.size() > limits::kPlanBytesMax)
    return refuse(fmt::format("Plan JSON too large (max {} bytes)", limits::kPlanBytesMax));
  // The parser skips a byte order mark and stops at a NUL; neither is JSON to whoever reads the plan next.
  if (text.starts_with("\xEF\xBB\xBF")) return refuse("Invalid JSON: " + place_of(text, 1));
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    return refuse("Invalid JSON: " + place_of(text, nul + 1));
  return json::read(text, [&](std::size_t byte) { return place_of(text, byte); });
}

// --- form -----------------------------------------------------------------------------------------------------------

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; end < text.size(); ++end)
    if ((text[end] & 0xC0) != 0x80 && count-- == 0) break;
  return text.substr(0, end);
}

// A value as a message shows it: numbers in full, texts cut, collections without what they hold.
std::string shown(const Json& value) {
  if (value.is_array()) return value.empty() ? "[]" : "[…]";
  if (value.is_object()) return value.empty() ? "{}" : "{…}";
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  if (characters(text) <= kShownCharacters) return value.dump();
  std::string cut = Json(first_characters(text, kShownCharacters)).dump();
  cut.pop_back();
  return cut + "…\"";
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

struct Lengths {
  std::size_t least = 0;
  std::size_t most = 0;
};

// The plan's fields, read one by one. What is wrong is written down and reading goes on, so that one message tells everything.
class Form {
 public:
  Result<Document> read(const Json& json) {
    Document document;
    if (is_object(json)) {
      require(json, {"plan_id", "tasks"});
      if (const Json* id = present(json, "plan_id", kRequired)) document.id = text(*id, {.least = 1, .most = kIdBytesMax});
      if (const Json* words = present(json, "plan_description")) document.description = text(*words, {.most = kDescriptionMax});
      if (const Json* tasks = present(json, "tasks", kRequired)) document.tasks = read_tasks(*tasks);
    }
    if (problems_ == 0) return document;
    if (problems_ > kProblemsMax) message_ += fmt::format(", and {} more", problems_ - kProblemsMax);
    return refuse_plan(message_);
  }

 private:
  enum Presence { kOptional, kRequired };

  void problem(std::string_view text) {
    if (++problems_ > kProblemsMax) return;
    if (!message_.empty()) message_ += ", ";
    message_ += text;
  }

  void require(const Json& object, std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (!object.contains(name)) problem(fmt::format("\"{}\" is a required property", name));
  }

  // null stands for an absent field, unless the field must be there.
  static const Json* present(const Json& object, const char* name, Presence presence = kOptional) {
    const auto it = object.find(name);
    if (it == object.end() || (it->is_null() && presence == kOptional)) return nullptr;
    return &*it;
  }

  bool is_object(const Json& value) {
    if (!value.is_object()) problem(fmt::format("{} is not of type \"object\"", shown(value)));
    return value.is_object();
  }

  bool is_array(const Json& value, Lengths count) {
    if (!value.is_array()) {
      problem(fmt::format("{} is not of type \"array\"", shown(value)));
      return false;
    }
    if (value.size() < count.least) problem(fmt::format("{} has less than {}", shown(value), counted(count.least, "item")));
    if (value.size() > count.most) problem(fmt::format("{} has more than {}", shown(value), counted(count.most, "item")));
    return value.size() <= count.most;
  }

  std::string text(const Json& value, Lengths length) {
    if (!value.is_string()) {
      problem(fmt::format("{} is not of type \"string\"", shown(value)));
      return {};
    }
    const auto& read = value.get_ref<const std::string&>();
    const std::size_t size = characters(read);
    if (size < length.least) problem(fmt::format("{} is shorter than {}", shown(value), counted(length.least, "character")));
    if (size > length.most) problem(fmt::format("{} is longer than {}", shown(value), counted(length.most, "character")));
    return read;
  }

  std::uint32_t number(const Json& value, std::uint32_t most) {
    if (!value.is_number_integer()) {
      problem(fmt::format("{} is not of type \"integer\"", shown(value)));
      return 0;
    }
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() < 1) {
      problem(fmt::format("{} is less than the minimum of 1", shown(value)));
      return 0;
    }
    if (value.get<std::uint64_t>() > most) {
      problem(fmt::format("{} is greater than the maximum of {}", shown(value), most));
      return 0;
    }
    return value.get<std::uint32_t>();
  }

  std::vector<Task> read_tasks(const Json& list) {
    std::vector<Task> tasks;
    if (!is_array(list, {.least = 1, .most = kTasksMax})) return tasks;
    for (const Json& each : list)
      if (is_object(each)) tasks.push_back(read_task(each));
    return tasks;
  }

  Task read_task(const Json& json) {
    Task task;
    require(json, {"task_number", "command"});
    if (const Json* own = present(json, "task_number", kRequired)) task.number = number(*own, kTasksMax);
    if (const Json* command = present(json, "command", kRequired))
      task.command = text(*command, {.least = 1, .most = kCommandMax});
    if (const Json* args = present(json, "args"))
      if (is_array(*args, {.most = kArgumentsMax}))
        for (const Json& each : *args) task.args.push_back(text(each, {.most = kArgumentMax}));
    if (const Json* seconds = present(json, "timeout_secs")) task.timeout_secs = number(*seconds, kTaskSecondsMax);
    if (const Json* earlier = present(json, "input_from_task")) task.input_from_task = number(*earlier, kTasksMax);
    return task;
  }

  std::string message_;
  std::size_t problems_ = 0;
};

// --- the whole ------------------------------------------------------------------------------------------------------

Status validate_words(const Task& task) {
  if (Status status = validate_word(fmt::format("Task {} command", task.number), task.command); !status.ok()) return status;
  for (std::size_t i = 0; i < task.args.size(); ++i) {
    const std::string what = fmt::format("Task {} argument {}", task.number, i + 1);
    if (Status status = validate_word(what, task.args[i]); !status.ok()) return status;
  }
  return {};
}

Status validate_tasks(const Document& plan) {
  std::uint32_t expected = 0;
  for (const Task& task : plan.tasks) {
    if (task.number != ++expected)
      return refuse(fmt::format("Task numbers must be contiguous starting at 1: expected {}, got {}", expected, task.number));
    if (task.input_from_task && *task.input_from_task >= task.number)
      return refuse(fmt::format("Task {} has invalid input_from_task {}: cannot reference self or future tasks", task.number,
                                *task.input_from_task));
    if (Status status = validate_words(task); !status.ok()) return status;
    if (Status status = validate_capability(tool_capability(task.command)); !status.ok())
      return status.annotate(fmt::format("Task {} command", task.number));
  }
  // A job asks for every tool of its plan, and what one job may ask for is bounded.
  const std::size_t tools = needs(plan).names().size();
  if (tools > limits::kNeedsMax)
    return refuse(fmt::format("{} different commands are used; at most {} are accepted", tools, limits::kNeedsMax));
  return {};
}

}  // namespace

Result<Document> parse(std::string_view json) {
  const Result<Json> tree = read_json(json);
  if (!tree.ok()) return tree.status();
  Result<Document> document = Form().read(*tree);
  if (!document.ok()) return document;
  if (Status status = validate_identifier("plan_id", document->id); !status.ok()) return status;
  // No store can keep a NUL in a text of its own.
  if (document->description.find('\0') != std::string::npos) return refuse_plan("plan_description contains a NUL");
  if (Status status = validate_tasks(*document); !status.ok()) return status.annotate("Plan validation failed");
  return document;
}

bool is_same(std::string_view one, std::string_view other) {
  auto a = json::parse_object(one);
  auto b = json::parse_object(other);
  if (!a || !b) return one == other;
  a->erase("job_id");
  b->erase("job_id");
  return *a == *b;
}

}  // namespace muster::plan
