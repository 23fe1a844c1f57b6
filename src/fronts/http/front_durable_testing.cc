#include "fronts/http/front_durable_testing.h"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

namespace muster::http {
namespace {

constexpr std::chrono::milliseconds kTickEvery{2};

}  // namespace

DurableFrontTest::DurableFrontTest() {
  std::string pattern = (std::filesystem::temp_directory_path() / "muster-http-XXXXXX").string();
  if (mkdtemp(pattern.data()) != nullptr) folder = pattern;
}

void DurableFrontTest::start(HttpOptions options) {
  auto opened = store::sqlite::SqliteStore::open(
      {.path = folder + "/muster.db", .durability = store::sqlite::Durability::normal, .seed = 1}, clock, metrics);
  ASSERT_TRUE(opened.ok()) << opened.status().text();
  store = *std::move(opened);
  engine = std::make_unique<engine::Engine>(*store, clock, metrics, engine_options);
  door = std::make_unique<command::Door>(*engine, facts, metrics);
  options.port = 0;
  auto started = HttpFront::start(loop, *door, metrics, std::move(options));
  ASSERT_TRUE(started.ok()) << started.status().text();
  front = *std::move(started);
  loop.start();
  ticking_ = true;
  ticker_ = std::thread([this] {
    while (ticking_) {
      engine->tick();
      std::this_thread::sleep_for(kTickEvery);
    }
  });
}

void DurableFrontTest::TearDown() {
  front.reset();
  if (engine) engine->stop();
  ticking_ = false;
  if (ticker_.joinable()) ticker_.join();
  loop.stop();
  if (store) {
    EXPECT_TRUE(store->close().ok());
  }
  door.reset();
  engine.reset();
  store.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

Answer DurableFrontTest::call(std::string_view method, std::string_view target, std::string_view body, std::string_view headers) {
  return connect().call(method, target, body, headers);
}

nlohmann::json DurableFrontTest::call_json(std::string_view method, std::string_view target, std::string_view body, int status) {
  const Answer answer = call(method, target, body);
  EXPECT_EQ(answer.status, status) << method << " " << target << " " << body << ": " << answer.body;
  return nlohmann::json::parse(answer.body, nullptr, false);
}

std::string DurableFrontTest::refused(std::string_view method, std::string_view target, std::string_view body, int status) {
  return call_json(method, target, body, status).value("detail", "");
}

void DurableFrontTest::check_members(const char* schema, const nlohmann::json& value) {
  const nlohmann::json described = call_json("GET", "/api/v1/openapi.json")["components"]["schemas"][schema];
  ASSERT_TRUE(value.is_object()) << schema;
  for (const auto& [name, member] : value.items()) EXPECT_TRUE(described["properties"].contains(name)) << schema << "." << name;
  for (const nlohmann::json& name : described.value("required", nlohmann::json::array()))
    EXPECT_TRUE(value.contains(name)) << schema << "." << name;
}

void DurableFrontTest::register_worker(std::string_view id) {
  call_json("POST", "/api/v1/workers", fmt::format(R"({{"id":"{}","slots":100,"capabilities":["workflow:*"]}})", id), 201);
}

nlohmann::json DurableFrontTest::claim_one(std::string_view worker) {
  const auto reply = call_json("POST", "/api/v1/jobs/claim", fmt::format(R"({{"worker":"{}"}})", worker));
  return reply.contains("jobs") && !reply["jobs"].empty() ? reply["jobs"][0] : nlohmann::json();
}

}  // namespace muster::http
