// What the tests of plans, actions, jobs and views share: plans to submit, replies taken apart, workers that take a job.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fronts/resp/front_testing.h"

namespace muster::resp {

using Json = nlohmann::json;

inline const std::string kEchoPlan = R"({"plan_id":"plan-t1","tasks":[{"task_number":1,"command":"echo","args":["hi"]}]})";

// The text of a bulk string; the whole reply when it is none.
std::string bulk_of(const std::string& reply);
// A bulk string that holds JSON; discarded JSON otherwise.
Json json_of(const std::string& reply);
// The bulk strings of a flat array.
std::vector<std::string> texts_of(const std::string& reply);

class PlansTest : public FrontTest {
 protected:
  // Starts the front and submits the plan.
  void start_with_plan(RespOptions options = {});
  // Submits an action over so many inputs {"n":1}, {"n":2}, … and returns the names of its jobs.
  std::vector<std::string> act(Wire& wire, const std::string& action, std::size_t inputs, const std::string& plan = "plan-t1");
  // Takes one job out of queue:ready as the original's worker does; returns its name.
  std::string take(Wire& wire);
};

}  // namespace muster::resp
