#include "fronts/http/front_testing.h"

#include <fmt/format.h>

namespace muster::http {

void FrontTest::start(HttpOptions options) {
  options.port = 0;
  auto started = HttpFront::start(loop, the_door(), metrics, std::move(options));
  ASSERT_TRUE(started.ok()) << started.status().text();
  front = *std::move(started);
  loop.start();
}

command::Door& FrontTest::the_door() {
  if (!door) door = std::make_unique<command::Door>(engine, facts, metrics);
  return *door;
}

void FrontTest::TearDown() {
  store.release_held();
  front.reset();
  loop.stop();
  engine.stop();
}

Answer FrontTest::call(std::string_view method, std::string_view target, std::string_view body, std::string_view headers) {
  return connect().call(method, target, body, headers);
}

nlohmann::json FrontTest::call_json(std::string_view method, std::string_view target, std::string_view body, int status) {
  const Answer answer = call(method, target, body);
  EXPECT_EQ(answer.status, status) << method << " " << target << ": " << answer.body;
  return nlohmann::json::parse(answer.body, nullptr, false);
}

void FrontTest::register_worker(std::string_view id) {
  call_json("POST", "/api/v1/workers", fmt::format(R"({{"id":"{}","slots":100}})", id), 201);
}

std::string FrontTest::submit(std::string_view spec) { return call_json("POST", "/api/v1/jobs", spec, 201).value("id", ""); }

nlohmann::json FrontTest::claim_one(std::string_view worker) {
  const auto reply = call_json("POST", "/api/v1/jobs/claim", fmt::format(R"({{"worker":"{}"}})", worker));
  return reply.contains("jobs") && !reply["jobs"].empty() ? reply["jobs"][0] : nlohmann::json();
}

}  // namespace muster::http
