// What the tests of this folder share: plans and actions by the wire, jobs and workers by the engine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "fronts/resp/front_testing.h"
#include "model/job.h"
#include "model/worker.h"

namespace muster::resp::work {

inline constexpr const char* kNothing = "$-1\r\n";
inline constexpr const char* kNoPair = "*-1\r\n";
inline constexpr const char* kOk = "+OK\r\n";

class WorkTest : public FrontTest {
 protected:
  using Json = nlohmann::json;

  // The text of a bulk string, or the element of a pair that was popped; a failure and "" when the reply is something else.
  static std::string text(const std::string& reply);
  static Json json(const std::string& reply);
  static std::string bulk(std::string_view text);
  static std::string popped(std::string_view key, std::string_view element);

  // A plan of these commands, and an action of it over `inputs` inputs {"n":1}, {"n":2}, …; the ids of its jobs.
  void submit_plan(Wire& wire, const std::string& plan, const std::vector<std::string>& commands);
  std::vector<std::string> submit(Wire& wire, const std::string& action, std::size_t inputs = 1, const std::string& plan = "p1");
  // Plan p1 with one `echo hello`, and one job of it.
  std::string submit_one(Wire& wire);

  static std::string registration(const std::string& worker, const std::string& tools = R"("echo")", std::size_t slots = 1);
  Wire worker(const std::string& id, const std::string& tools = R"("echo")", std::size_t slots = 1);  // registered
  Wire pinged(const std::string& id);

  Job job(const std::string& name);
  JobState state(const std::string& name) { return job(name).state; }
  std::optional<Worker> worker_row(const std::string& id);
  // Moves the clock in steps that a live worker survives, beating by `beat` after each.
  void advance_beating(Duration by, const std::function<void()>& beat);
  void tick_work();
};

}  // namespace muster::resp::work
