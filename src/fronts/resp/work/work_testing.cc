#include "fronts/resp/work/work_testing.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/ask_testing.h"
#include "command/single.h"
#include "fronts/resp/work/work.h"
#include "fronts/resp/work/work_state.h"

namespace muster::resp::work {

std::string WorkTest::text(const std::string& reply) {
  if (reply.starts_with("*2\r\n$")) {
    const std::size_t key = reply.find("\r\n", reply.find('$'));
    return text(reply.substr(reply.find("\r\n$", key + 2) + 2));
  }
  const std::size_t line = reply.find("\r\n");
  if (reply.empty() || reply[0] != '$' || reply.size() < line + 4) {
    ADD_FAILURE() << "no bulk string: " << reply;
    return {};
  }
  return reply.substr(line + 2, reply.size() - line - 4);
}

WorkTest::Json WorkTest::json(const std::string& reply) {
  Json out = Json::parse(text(reply), nullptr, false);
  EXPECT_FALSE(out.is_discarded()) << reply;
  return out;
}

std::string WorkTest::bulk(std::string_view text) { return fmt::format("${}\r\n{}\r\n", text.size(), text); }
std::string WorkTest::popped(std::string_view key, std::string_view element) {
  return fmt::format("*2\r\n{}{}", bulk(key), bulk(element));
}

void WorkTest::submit_plan(Wire& wire, const std::string& plan, const std::vector<std::string>& commands) {
  Json tasks = Json::array();
  for (const std::string& command : commands)
    tasks.push_back({{"task_number", tasks.size() + 1}, {"command", command}, {"args", {"hello"}}});
  EXPECT_EQ(wire.call({"PLAN.SUBMIT", Json{{"plan_id", plan}, {"tasks", tasks}}.dump()}), bulk(plan));
}

std::vector<std::string> WorkTest::submit(Wire& wire, const std::string& action, std::size_t inputs, const std::string& plan) {
  Json list = Json::array();
  for (std::size_t i = 1; i <= inputs; ++i) list.push_back({{"n", i}});
  const Json reply = json(wire.call({"ACTION.SUBMIT", Json{{"action_id", action}, {"plan_id", plan}, {"inputs", list}}.dump()}));
  return reply.value("job_ids", std::vector<std::string>());
}

std::string WorkTest::submit_one(Wire& wire) {
  submit_plan(wire, "p1", {"echo"});
  return submit(wire, "a1").at(0);
}

std::string WorkTest::registration(const std::string& worker, const std::string& tools, std::size_t slots) {
  return fmt::format(
      R"({{"worker_id":"{}","hostname":"h","agw_version":"0.1.0","capabilities":{{"tools":[{}]}},"max_concurrent_jobs":{}}})",
      worker, tools, slots);
}

Wire WorkTest::worker(const std::string& id, const std::string& tools, std::size_t slots) {
  Wire wire = operate();
  EXPECT_EQ(wire.call({"WORKER.REGISTER", registration(id, tools, slots)}),
            fmt::format("+OK worker_id={} heartbeat_interval=30\r\n", id));
  return wire;
}

Wire WorkTest::pinged(const std::string& id) {
  Wire wire = operate();
  EXPECT_EQ(wire.call({"PING", id}), bulk(id));
  return wire;
}

Job WorkTest::job(const std::string& name) {
  const auto id = parse_job_id(name);
  if (!id) {
    ADD_FAILURE() << name << " is no job's id";
    return {};
  }
  Result<Job> read = muster::ask<Job>([&](auto reply) { engine->jobs().get({*id}, command::unwrap<Job>(std::move(reply))); });
  EXPECT_TRUE(read.ok()) << read.status().text();
  return read.ok() ? *std::move(read) : Job{};
}

std::optional<Worker> WorkTest::worker_row(const std::string& id) {
  Result<Worker> read = muster::ask<Worker>([&](auto reply) {
    engine->workers().get(NamespaceName(kDefaultNamespace), {WorkerId(id)}, command::unwrap<Worker>(std::move(reply)));
  });
  if (!read.ok()) return std::nullopt;
  return *std::move(read);
}

void WorkTest::advance_beating(Duration by, const std::function<void()>& beat) {
  constexpr Duration kStep{30'000};
  while (by > Duration(0)) {
    const Duration step = std::min(by, kStep);
    advance(step);
    by -= step;
    beat();
  }
}

void WorkTest::tick_work() {
  on_loop([this] { core().work_state->tick(); });
  // The store does things in the order it was asked: once it has answered this, the tick's heartbeats count.
  worker_row("nobody");
}

}  // namespace muster::resp::work
