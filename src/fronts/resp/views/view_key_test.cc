#include "fronts/resp/views/view_key.h"

#include <gtest/gtest.h>

#include "fronts/resp/commands.h"

namespace muster::resp::views {
namespace {

struct Case {
  const char* key;
  Kind kind;
  const char* id;
};

TEST(ViewKey, EveryPatternIsKnown) {
  const Case cases[] = {
      {"worker:w-1", Kind::worker, "w-1"},
      {"worker:w-1:metadata", Kind::worker_metadata, "w-1"},
      {"worker:w-1:alive", Kind::worker_alive, "w-1"},
      {"worker:w-1:stats", Kind::worker_stats, "w-1"},
      {"worker:w-1:tools", Kind::worker_tools, "w-1"},
      {"worker:w-1:tags", Kind::worker_tags, "w-1"},
      {"capability:sort:workers", Kind::capability, "sort"},
      {"job:j", Kind::job, "j"},
      {"job:j:worker", Kind::job_worker, "j"},
      {"job:j:status", Kind::job_status, "j"},
      {"job:j:stdout", Kind::job_stdout, "j"},
      {"job:j:stderr", Kind::job_stderr, "j"},
      {"job:j:metadata", Kind::job_metadata, "j"},
      {"job:j:plan", Kind::job_plan, "j"},
      {"job:j:input", Kind::job_input, "j"},
      {"job:j:output", Kind::job_output, "j"},
      {"plan:p", Kind::plan, "p"},
      {"plan:p:stats", Kind::plan_stats, "p"},
      {"plan:p:actions", Kind::plan_actions, "p"},
      {"plan:p:jobs", Kind::plan_jobs, "p"},
      {"plans:all", Kind::all_plans, ""},
      {"actions:all", Kind::all_actions, ""},
      {"workers:all", Kind::all_workers, ""},
      {"action:a", Kind::action, "a"},
      {"action:a:jobs", Kind::action_jobs, "a"},
      {"queue:ready", Kind::queue, "ready"},
      {"queue:processing", Kind::processing, "processing"},
      {"queue:w-1:processing", Kind::processing, "w-1:processing"},
      {"queue:scheduled", Kind::scheduled, "scheduled"},
  };
  for (const Case& each : cases) {
    const auto key = parse_view_key(each.key);
    ASSERT_TRUE(key) << each.key;
    EXPECT_EQ(key->kind, each.kind) << each.key;
    EXPECT_EQ(key->id, each.id) << each.key;
    EXPECT_TRUE(is_view(each.key)) << each.key;
    EXPECT_FALSE(command_for(key->kind).empty()) << each.key;
  }
}

TEST(ViewKey, OtherNamesAreOrdinaryKeys) {
  for (const char* key : {"",
                          "x",
                          "worker",
                          "worker:",
                          "worker:w:other",
                          "worker:w:alive:x",
                          "worker::alive",
                          "job:",
                          "job:queue",
                          "job:j:",
                          "job:j:progress",
                          "jobs:all",
                          "plan:p:x",
                          "action:a:b",
                          "queue:",
                          "queue",
                          "capability:x",
                          "capability::workers",
                          "plans:none",
                          "agq:internal:plan.submit"})
    EXPECT_FALSE(is_view(key)) << key;
  EXPECT_FALSE(is_view("worker:" + std::string(129, 'x')));
}

}  // namespace
}  // namespace muster::resp::views
