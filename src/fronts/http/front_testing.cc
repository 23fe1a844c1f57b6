#include "fronts/http/front_testing.h"

#include <fmt/format.h>

namespace muster::http {
namespace {

constexpr std::chrono::milliseconds kTickEvery{2};

}  // namespace

void FrontTest::start(HttpOptions options) {
  options.port = 0;
  auto started = HttpFront::start(loop, the_door(), metrics, std::move(options));
  ASSERT_TRUE(started.ok()) << started.status().text();
  front = *std::move(started);
  loop.start();
}

command::Door& FrontTest::the_door() {
  if (!door) door = std::make_unique<command::Door>(*engine, facts, metrics);
  return *door;
}

void FrontTest::TearDown() {
  store.let_go();
  front.reset();
  loop.stop();
  engine->stop();
  EXPECT_TRUE(store.close().ok());
  door.reset();
  engine.reset();
}

void FrontTest::use(engine::Options options) {
  engine.reset();
  engine = std::make_unique<engine::Engine>(store, clock, metrics, std::move(options));
}

void TickingFrontTest::start(HttpOptions options) {
  FrontTest::start(std::move(options));
  ticking_ = true;
  ticker_ = std::thread([this] {
    while (ticking_) {
      engine->tick();
      std::this_thread::sleep_for(kTickEvery);
    }
  });
}

void TickingFrontTest::TearDown() {
  ticking_ = false;
  if (ticker_.joinable()) ticker_.join();
  FrontTest::TearDown();
}

Answer FrontTest::call(std::string_view method, std::string_view target, std::string_view body, std::string_view headers) {
  return connect().call(method, target, body, headers);
}

nlohmann::json FrontTest::call_json(std::string_view method, std::string_view target, std::string_view body, int status) {
  const Answer answer = call(method, target, body);
  EXPECT_EQ(answer.status, status) << method << " " << target << ": " << answer.body;
  return nlohmann::json::parse(answer.body, nullptr, false);
}

std::string FrontTest::refused(std::string_view method, std::string_view target, std::string_view body, int status) {
  return call_json(method, target, body, status).value("detail", "");
}

void FrontTest::check_members(const char* schema, const nlohmann::json& value) {
  const nlohmann::json described = call_json("GET", "/api/v1/openapi.json")["components"]["schemas"][schema];
  ASSERT_TRUE(value.is_object()) << schema;
  for (const auto& [name, member] : value.items()) EXPECT_TRUE(described["properties"].contains(name)) << schema << "." << name;
  for (const nlohmann::json& name : described.value("required", nlohmann::json::array()))
    EXPECT_TRUE(value.contains(name)) << schema << "." << name;
}

void FrontTest::register_worker(std::string_view id, std::string_view capabilities) {
  call_json("POST", "/api/v1/workers", fmt::format(R"({{"id":"{}","slots":100,"capabilities":{}}})", id, capabilities), 201);
}

std::string FrontTest::submit(std::string_view spec) { return call_json("POST", "/api/v1/jobs", spec, 201).value("id", ""); }

nlohmann::json FrontTest::claim_one(std::string_view worker) {
  const auto reply = call_json("POST", "/api/v1/jobs/claim", fmt::format(R"({{"worker":"{}"}})", worker));
  return reply.contains("jobs") && !reply["jobs"].empty() ? reply["jobs"][0] : nlohmann::json();
}

}  // namespace muster::http
