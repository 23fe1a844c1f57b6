#include "cli/plans.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.h"
#include "cli/format.h"
#include "cli/jobs.h"
#include "cli/terminal.h"

namespace muster::cli {
namespace {

std::string label_of(const sdk::Job& job, const char* key) {
  const auto found = job.labels.find(key);
  return found == job.labels.end() ? "-" : found->second;
}

std::string action_job_note(const sdk::Job& job) {
  if (job.state == "completed") return "";
  if (job.error) return fmt::format("{}: {}", job.error->kind, job.error->message);
  return job.progress && job.state == "running" ? fmt::format("{:.0f}% {}", job.progress->fraction * 100, job.progress->message)
                                                : "";
}

std::string text_of(const nlohmann::json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// The elements between the brackets, cut out of the text so that every number keeps its digits. REQUIRES: a JSON array.
std::vector<std::string> elements_of(std::string_view array) {
  std::vector<std::string> elements;
  const std::string_view inside = array.substr(1, array.size() - 2);
  if (trimmed(inside).empty()) return elements;
  std::size_t depth = 0;
  std::size_t begin = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const char c = inside[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      elements.emplace_back(trimmed(inside.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  elements.emplace_back(trimmed(inside.substr(begin)));
  return elements;
}

constexpr std::chrono::milliseconds kActionLookMin{50};
constexpr std::chrono::milliseconds kActionLookMax{1'000};
constexpr int kActionFailuresMax = 60;           // at kActionLookMax: a minute of a server that is restarting
constexpr std::size_t kJobsShownMax = 1'000;     // rows of the table; more are counted
constexpr std::chrono::seconds kBeforeFirst{1};  // the listing's bound is exclusive and kept clear of rounding

// The jobs of an action in the order of their inputs, without payloads.
sdk::Result<std::vector<sdk::Job>> jobs_of(sdk::Client& client, const sdk::Action& action, std::size_t count_max) {
  sdk::JobQuery query;
  query.filter.ns = action.ns;
  query.filter.labels = {{"action", action.id}};
  if (action.created_at) query.filter.created_after = *action.created_at - kBeforeFirst;
  query.order = "oldest";
  query.limit = kPageMax;
  std::vector<sdk::Job> jobs;
  do {
    sdk::Result<sdk::JobPage> page = client.jobs(query);
    if (!page.ok()) return page.error();
    std::move(page->jobs.begin(), page->jobs.end(), std::back_inserter(jobs));
    query.cursor = page->next;
    // All of them seen: the rest of the listing is other people's work.
  } while (!query.cursor.empty() && jobs.size() < std::min<std::size_t>(count_max, action.jobs));
  if (jobs.size() > count_max) jobs.resize(count_max);
  return jobs;
}

void show_action(Context& context, const sdk::Action& action, const std::vector<sdk::Job>& jobs) {
  if (context.wants_table()) {
    context.table(action_jobs_table(jobs, now()));
    if (jobs.size() < action.jobs)
      context.note(
          fmt::format("{} of {} jobs shown; all: muster job list --label action={} --all", jobs.size(), action.jobs, action.id));
    return;
  }
  if (context.globals().output == Output::jsonl) {
    for (const sdk::Job& job : jobs) context.line(job.document);
    return;
  }
  using Json = nlohmann::ordered_json;
  Json both{{"action", Json::parse(action.document, nullptr, false)}, {"jobs", Json::array()}};
  for (const sdk::Job& job : jobs) both["jobs"].push_back(Json::parse(job.document, nullptr, false));
  context.document(both.dump());
}

// Looks at once, then at growing intervals, until every job is finished; survives a server that is away for a while.
sdk::Result<sdk::Action> wait_for_action(sdk::Client& client, const std::string& ns, const std::string& id,
                                         const std::function<void(const sdk::Action&)>& seen) {
  std::chrono::milliseconds wait = kActionLookMin;
  int failures = 0;
  for (bool known = false;;) {
    sdk::Result<sdk::Action> action = client.action({.ns = ns, .action = id, .job_offset = {}, .job_limit = 0});
    if (action.ok()) {
      failures = 0;
      known = true;
      seen(*action);
      if (action->counts.unfinished() == 0) return action;
    } else if (!action.error().transient() || !known || ++failures == kActionFailuresMax) {
      return action;
    }
    std::this_thread::sleep_for(wait);
    wait = std::min(kActionLookMax, wait * 3 / 2);
  }
}

}  // namespace

std::string counts_text(const sdk::ActionCounts& counts) {
  std::string text = fmt::format("{}/{} done", counts.finished(), counts.finished() + counts.unfinished());
  const auto add = [&text](std::uint64_t count, const char* what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(counts.running, "running");
  add(counts.waiting, "waiting");
  add(counts.failed, "failed");
  add(counts.dead, "dead");
  add(counts.cancelled, "cancelled");
  return text;
}

Table plans_table(std::span<const sdk::Plan> plans, sdk::Instant now) {
  Table table({{"PLAN"},
               {"TASKS", Align::right},
               {"ACTIONS", Align::right},
               {"JOBS", Align::right},
               {"CREATED", Align::right},
               {"USED", Align::right},
               {"NEEDS"},
               {"DESCRIPTION"}});
  for (const sdk::Plan& plan : plans)
    table.add({{plan.id},
               {std::to_string(plan.tasks)},
               {std::to_string(plan.actions)},
               {std::to_string(plan.jobs)},
               {format_age(plan.created_at, now)},
               {format_age(plan.last_used_at, now)},
               {fmt::format("{}", fmt::join(plan.needs, " ")), Color::dim},
               {plan.description}});
  return table;
}

Table tasks_table(const sdk::Plan& plan) {
  Table table({{"TASK", Align::right}, {"COMMAND"}, {"INPUT FROM", Align::right}, {"TIMEOUT", Align::right}});
  const nlohmann::json text = nlohmann::json::parse(plan.text, nullptr, false);
  if (!text.is_object() || !text.contains("tasks") || !text["tasks"].is_array()) return table;
  for (const nlohmann::json& task : text["tasks"]) {
    if (!task.is_object()) continue;
    std::string command = text_of(task.value("command", nlohmann::json("")));
    if (const auto args = task.find("args"); args != task.end() && args->is_array())
      for (const nlohmann::json& each : *args) command += " " + text_of(each);
    const auto number = [&task](const char* key) {
      const auto found = task.find(key);
      return found == task.end() || !found->is_number_integer() ? std::string() : found->dump();
    };
    const std::string seconds = number("timeout_secs");
    table.add({{number("task_number")}, {command}, {number("input_from_task")}, {seconds.empty() ? "" : seconds + "s"}});
  }
  return table;
}

Table actions_table(std::span<const sdk::Action> actions, sdk::Instant now) {
  Table table({{"ACTION"}, {"PLAN"}, {"STATE"}, {"JOBS", Align::right}, {"AGE", Align::right}, {"PROGRESS"}});
  for (const sdk::Action& action : actions)
    table.add({{action.id},
               {action.plan},
               {action.state, color_of_state(action.state)},
               {std::to_string(action.jobs)},
               {format_age(action.created_at, now)},
               {counts_text(action.counts)}});
  return table;
}

Table action_jobs_table(const std::vector<sdk::Job>& jobs, sdk::Instant now) {
  const bool by_task = std::any_of(jobs.begin(), jobs.end(), [](const sdk::Job& job) { return job.labels.contains("task"); });
  std::vector<Column> columns{{"INPUT", Align::right}};
  if (by_task) columns.push_back({"TASK", Align::right});
  for (Column column : {Column{"JOB"}, Column{"STATE"}, Column{"WORKER"}, Column{"ATTEMPTS", Align::right},
                        Column{"TIME", Align::right}, Column{"NOTE"}})
    columns.push_back(std::move(column));
  Table table(std::move(columns));
  for (const sdk::Job& job : jobs) {
    const auto ran = run_time(job, now);
    std::vector<Cell> cells{{label_of(job, "input")}};
    if (by_task) cells.push_back({label_of(job, "task")});
    cells.push_back({job.id});
    cells.push_back({job.state, color_of_state(job.state)});
    cells.push_back({job.worker.empty() ? "-" : job.worker});
    cells.push_back({std::to_string(job.attempt)});
    cells.push_back({ran ? format_duration(*ran) : "-"});
    cells.push_back({action_job_note(job), Color::red});
    table.add(std::move(cells));
  }
  return table;
}

void describe_action(CLI::App& command, ActionArguments& arguments) {
  sdk::ActionRequest& request = arguments.request;
  command.add_option("--input", arguments.inputs, "one input, JSON (repeatable)")->allow_extra_args(false)->type_name("JSON");
  command.add_option("--inputs", arguments.inputs_file, "file of inputs: a JSON array, or one a line")->type_name("FILE|-");
  command.add_option("--id", request.id, "name of the action; without it, it gets one");
  command.add_option("--job-unit", request.job_unit, "a job for each input (plan), or for each task of each input (task)")
      ->check(CLI::IsMember({"plan", "task"}));
  command.add_option("--priority", request.priority, "higher runs first")->check(CLI::Range(-1000, 1000));
  add_duration(command, {.name = "--timeout", .help = "longest run of one attempt (1h)"}, request.timeout);
  command.add_option("--attempts", request.attempts_max, "attempts before a job is dead (3)")->check(CLI::Range(1, 1000));
  command.add_flag("--watch", arguments.watch, "follow it to its end; exit 1 unless every job completed");
}

sdk::Result<std::vector<std::string>> split_inputs(std::string_view text) {
  const std::string_view whole = trimmed(text);
  if (whole.starts_with('[') && nlohmann::json::accept(whole)) return elements_of(whole);
  std::vector<std::string> inputs;
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    ++number;
    if (line.empty()) continue;
    if (!nlohmann::json::accept(line))
      return refused(fmt::format("the inputs are neither a JSON array nor one value a line: line {} is `{}`", number,
                                 line.substr(0, kShownBytes)));
    inputs.emplace_back(line);
  }
  return inputs;
}

sdk::Result<std::vector<std::string>> read_inputs(const ActionArguments& arguments) {
  for (const std::string& input : arguments.inputs)
    if (!nlohmann::json::accept(input)) return refused(fmt::format("--input is not JSON: `{}`", input.substr(0, kShownBytes)));
  std::vector<std::string> inputs = arguments.inputs;
  if (arguments.inputs_file.empty()) return inputs;
  const sdk::Result<std::string> text = read_all(arguments.inputs_file);
  if (!text.ok()) return text.error();
  sdk::Result<std::vector<std::string>> more = split_inputs(*text);
  if (!more.ok()) return more;
  std::move(more->begin(), more->end(), std::back_inserter(inputs));
  if (inputs.empty()) return refused(fmt::format("`{}` holds no inputs", arguments.inputs_file));
  return inputs;
}

int watch_action(Context& context, const std::string& id) {
  const std::string doing = "watch action " + id;
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  ProgressLine progress;
  std::string last;
  const sdk::Result<sdk::Action> action = wait_for_action(**client, context.globals().ns, id, [&](const sdk::Action& seen) {
    const std::string text = counts_text(seen.counts);
    const std::uint64_t total = std::max<std::uint64_t>(1, seen.jobs);
    if (stderr_is_terminal())
      progress.show_fraction(id, static_cast<double>(seen.counts.finished()) / static_cast<double>(total), text);
    else if (text != last)
      context.note(fmt::format("action {}: {}", id, text));
    last = text;
  });
  progress.clear();
  if (!action.ok()) return context.fail(doing, action.error());
  const std::size_t count_max = context.wants_table() ? kJobsShownMax : action->jobs;
  const sdk::Result<std::vector<sdk::Job>> jobs = jobs_of(**client, *action, count_max);
  if (!jobs.ok()) return context.fail(fmt::format("list the jobs of action {}", id), jobs.error());
  show_action(context, *action, *jobs);
  const bool all_completed = action->counts.completed == action->jobs;
  if (!all_completed && context.wants_table())
    context.note(fmt::format("muster: action {} is {}: {}", id, action->state, counts_text(action->counts)));
  return to_int(all_completed ? Exit::ok : Exit::failure);
}

}  // namespace muster::cli
