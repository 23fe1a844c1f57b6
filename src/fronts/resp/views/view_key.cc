#include "fronts/resp/views/view_key.h"

#include <array>

#include "model/limits.h"

namespace muster::resp::views {
namespace {

struct Suffix {
  std::string_view text;  // without its colon; empty: the noun itself
  Kind kind;
};

struct Noun {
  std::string_view prefix;
  std::array<Suffix, 9> suffixes;  // unused ones have no text after the first
  std::size_t count;
};

constexpr std::array kNouns{
    Noun{"worker:",
         {{{"", Kind::worker},
           {"metadata", Kind::worker_metadata},
           {"alive", Kind::worker_alive},
           {"stats", Kind::worker_stats},
           {"tools", Kind::worker_tools},
           {"tags", Kind::worker_tags}}},
         6},
    Noun{"job:",
         {{{"", Kind::job},
           {"worker", Kind::job_worker},
           {"status", Kind::job_status},
           {"stdout", Kind::job_stdout},
           {"stderr", Kind::job_stderr},
           {"metadata", Kind::job_metadata},
           {"plan", Kind::job_plan},
           {"input", Kind::job_input},
           {"output", Kind::job_output}}},
         9},
    Noun{"plan:",
         {{{"", Kind::plan}, {"stats", Kind::plan_stats}, {"actions", Kind::plan_actions}, {"jobs", Kind::plan_jobs}}},
         4},
    Noun{"action:", {{{"", Kind::action}, {"jobs", Kind::action_jobs}}}, 2},
};

constexpr std::string_view kCapability = "capability:";
constexpr std::string_view kCapabilityEnd = ":workers";
constexpr std::string_view kQueue = "queue:";
constexpr std::string_view kPlainList = "job:queue";

// A view, and where the key says whose it is.
struct Found {
  Kind kind = Kind::worker;
  std::string_view id{};
};

bool is_name(std::string_view text) { return !text.empty() && text.size() <= limits::kNameBytesMax; }

std::optional<Found> parse_noun(const Noun& noun, std::string_view rest) {
  const std::size_t colon = rest.find(':');
  const std::string_view id = rest.substr(0, colon);
  const std::string_view suffix = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  if (!is_name(id) || (colon != std::string_view::npos && suffix.empty())) return std::nullopt;
  for (std::size_t i = 0; i < noun.count; ++i)
    if (noun.suffixes[i].text == suffix) return Found{noun.suffixes[i].kind, id};
  return std::nullopt;
}

std::optional<Found> parse_queue(std::string_view name) {
  if (!is_name(name)) return std::nullopt;
  // A worker's own list of what it took, such as queue:w-1:processing, shows the same jobs.
  if (name == "processing" || name.ends_with(":processing")) return Found{Kind::processing, name};
  if (name == "scheduled") return Found{Kind::scheduled, name};
  return Found{Kind::queue, name};
}

std::optional<Found> find_view(std::string_view key) {
  // Most keys are nobody's view; their first letter says so.
  if (key.empty() || std::string_view("wcjpaq").find(key[0]) == std::string_view::npos || key == kPlainList) return std::nullopt;
  for (const Noun& noun : kNouns)
    if (key.starts_with(noun.prefix)) return parse_noun(noun, key.substr(noun.prefix.size()));
  if (key.starts_with(kQueue)) return parse_queue(key.substr(kQueue.size()));
  if (key.starts_with(kCapability) && key.ends_with(kCapabilityEnd)) {
    if (key.size() <= kCapability.size() + kCapabilityEnd.size()) return std::nullopt;
    const std::string_view tool = key.substr(kCapability.size(), key.size() - kCapability.size() - kCapabilityEnd.size());
    return Found{Kind::capability, tool};
  }
  if (key == "plans:all") return Found{Kind::all_plans};
  if (key == "actions:all") return Found{Kind::all_actions};
  if (key == "workers:all") return Found{Kind::all_workers};
  return std::nullopt;
}

}  // namespace

std::optional<ViewKey> parse_view_key(std::string_view key) {
  const auto found = find_view(key);
  return found ? std::optional(ViewKey{found->kind, std::string(found->id)}) : std::nullopt;
}

std::optional<Kind> kind_of_view(std::string_view key) {
  const auto found = find_view(key);
  return found ? std::optional(found->kind) : std::nullopt;
}

std::string_view command_for(Kind kind) {
  switch (kind) {
    case Kind::worker:
    case Kind::worker_alive:
    case Kind::worker_stats: return "WORKER.HEARTBEAT";
    case Kind::worker_metadata:
    case Kind::capability:
    case Kind::all_workers: return "WORKER.REGISTER";
    case Kind::worker_tools:
    case Kind::worker_tags: return "SET";
    case Kind::job:
    case Kind::job_metadata:
    case Kind::job_output:
    case Kind::job_status:
    case Kind::processing: return "JOB.UPDATE";
    case Kind::job_stdout:
    case Kind::job_stderr: return "SET";
    case Kind::job_worker: return "BRPOP queue:ready";
    case Kind::job_plan:
    case Kind::plan:
    case Kind::all_plans: return "PLAN.SUBMIT";
    case Kind::job_input:
    case Kind::plan_stats:
    case Kind::plan_actions:
    case Kind::plan_jobs:
    case Kind::action:
    case Kind::action_jobs:
    case Kind::all_actions: return "ACTION.SUBMIT";
    case Kind::queue: return "LPUSH";
    case Kind::scheduled: return "ZADD";
  }
  return "the commands of the registry";
}

}  // namespace muster::resp::views
