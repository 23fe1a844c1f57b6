#include "fronts/resp/plans/calls_testing.h"

namespace muster::resp {

std::string bulk_of(const std::string& reply) {
  const std::size_t line = reply.find("\r\n");
  if (reply.empty() || reply[0] != '$' || line == std::string::npos || reply.size() < line + 4) return reply;
  return reply.substr(line + 2, reply.size() - line - 4);
}

Json json_of(const std::string& reply) { return Json::parse(bulk_of(reply), nullptr, false); }

std::vector<std::string> texts_of(const std::string& reply) {
  std::vector<std::string> out;
  std::size_t at = reply.find("\r\n");
  if (reply.empty() || reply[0] != '*' || at == std::string::npos) return out;
  at += 2;
  while (at < reply.size() && reply[at] == '$') {
    const std::size_t line = reply.find("\r\n", at);
    const auto size = static_cast<std::size_t>(std::stoul(reply.substr(at + 1, line - at - 1)));
    out.push_back(reply.substr(line + 2, size));
    at = line + 2 + size + 2;
  }
  return out;
}

void PlansTest::start_with_plan(RespOptions options) {
  start(std::move(options));
  Wire wire = operate();
  ASSERT_EQ(wire.call({"PLAN.SUBMIT", kEchoPlan}), "$7\r\nplan-t1\r\n");
}

std::vector<std::string> PlansTest::act(Wire& wire, const std::string& action, std::size_t inputs, const std::string& plan) {
  Json request{{"action_id", action}, {"plan_id", plan}, {"inputs", Json::array()}};
  for (std::size_t i = 1; i <= inputs; ++i) request["inputs"].push_back({{"n", i}});
  const Json reply = json_of(wire.call({"ACTION.SUBMIT", request.dump()}));
  EXPECT_TRUE(reply.is_object());
  return reply.is_object() ? reply.value("job_ids", std::vector<std::string>()) : std::vector<std::string>();
}

std::string PlansTest::take(Wire& wire) { return bulk_of(wire.call({"BRPOPLPUSH", "queue:ready", "queue:processing", "5"})); }

}  // namespace muster::resp
