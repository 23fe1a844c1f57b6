// The front on a loopback port with the real engine over a real SQLite file in a folder of its own, for what the store in memory
// has not: runs and schedules. Time stands still unless a test moves it; a thread of the harness does the engine's passes.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "base/metrics.h"
#include "base/patience_testing.h"
#include "command/door.h"
#include "engine/engine.h"
#include "fronts/http/client_testing.h"
#include "fronts/http/front.h"
#include "net/io_loop.h"
#include "store/sqlite/store.h"

namespace muster::http {

class DurableFrontTest : public testing::Test {
 protected:
  DurableFrontTest();
  void TearDown() override;
  void start(HttpOptions options = {});  // on a free port

  Client connect() { return Client(front->port()); }
  Answer call(std::string_view method, std::string_view target, std::string_view body = {}, std::string_view headers = {});
  nlohmann::json call_json(std::string_view method, std::string_view target, std::string_view body = {}, int status = 200);
  // The detail of the problem that is answered.
  std::string refused(std::string_view method, std::string_view target, std::string_view body, int status);
  // Every member of the value stands in this schema of the OpenAPI document, and none that it requires is missing.
  void check_members(const char* schema, const nlohmann::json& value);
  void register_worker(std::string_view id);  // that knows every workflow
  nlohmann::json claim_one(std::string_view worker);

  ManualClock clock;
  command::ServerFacts facts{.version = "0.1.0", .started_at = clock.now()};
  engine::Options engine_options;  // a test may change them before start()
  std::string folder;
  Metrics metrics;
  std::unique_ptr<store::sqlite::SqliteStore> store;
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<command::Door> door;
  net::IoLoop loop{clock};
  std::unique_ptr<HttpFront> front;

 private:
  std::thread ticker_;
  std::atomic<bool> ticking_{false};
};

}  // namespace muster::http
