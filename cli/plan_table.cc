#include "cli/plan_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/format.h"

namespace muster::cli {
namespace {

using Json = nlohmann::json;

std::string label_of(const sdk::Job& job, const char* key) {
  const auto found = job.labels.find(key);
  return found == job.labels.end() ? "-" : found->second;
}

std::string run_time(const sdk::Job& job, sdk::Instant now) {
  if (!job.started_at) return "-";
  if (job.finished_at) return format_duration(*job.finished_at - *job.started_at);
  return job.state == "running" ? format_duration(now - *job.started_at) : "-";
}

std::string note_of(const sdk::Job& job) {
  if (job.state == "completed") return "";
  if (job.error) return fmt::format("{}: {}", job.error->kind, job.error->message);
  return job.progress && job.state == "running" ? fmt::format("{:.0f}% {}", job.progress->fraction * 100, job.progress->message)
                                                : "";
}

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

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
  const Json text = Json::parse(plan.text, nullptr, false);
  if (!text.is_object() || !text.contains("tasks") || !text["tasks"].is_array()) return table;
  for (const Json& task : text["tasks"]) {
    if (!task.is_object()) continue;
    std::string command = text_of(task.value("command", Json("")));
    if (const auto args = task.find("args"); args != task.end() && args->is_array())
      for (const Json& each : *args) command += " " + text_of(each);
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
    std::vector<Cell> cells{{label_of(job, "input")}};
    if (by_task) cells.push_back({label_of(job, "task")});
    cells.push_back({job.id});
    cells.push_back({job.state, color_of_state(job.state)});
    cells.push_back({job.worker.empty() ? "-" : job.worker});
    cells.push_back({std::to_string(job.attempt)});
    cells.push_back({run_time(job, now)});
    cells.push_back({note_of(job), Color::red});
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace muster::cli
