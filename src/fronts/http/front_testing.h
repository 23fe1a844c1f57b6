// The front on a loopback port with the real engine over a SQLite file in a folder of its own. Time stands still unless a test
// moves it, and a test may say what the store answers.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "base/ask_testing.h"
#include "base/metrics.h"
#include "base/temp_folder_testing.h"
#include "command/door.h"
#include "engine/engine.h"
#include "fronts/http/client_testing.h"
#include "fronts/http/front.h"
#include "net/io_loop.h"
#include "store/scripted_testing.h"
#include "store/sqlite/open_testing.h"

namespace muster::http {

class FrontTest : public testing::Test {
 protected:
  void start(HttpOptions options = {});  // on a free port
  void TearDown() override;
  void use(engine::Options options);  // before start()

  command::Door& the_door();
  Client connect() { return Client(front->port()); }
  // One request on a connection of its own.
  Answer call(std::string_view method, std::string_view target, std::string_view body = {}, std::string_view headers = {});
  nlohmann::json call_json(std::string_view method, std::string_view target, std::string_view body = {}, int status = 200);
  // The detail of the problem that is answered.
  std::string refused(std::string_view method, std::string_view target, std::string_view body, int status);
  // Every member of the value stands in this schema of the OpenAPI document, and none that it requires is missing.
  void check_members(const char* schema, const nlohmann::json& value);
  void register_worker(std::string_view id, std::string_view capabilities = R"(["workflow:*"])");
  std::string submit(std::string_view spec);          // the id
  nlohmann::json claim_one(std::string_view worker);  // the grant

  ManualClock clock;
  TempFolder folder;
  // A test may change them before start().
  command::ServerFacts facts{.version = "0.1.0", .started_at = clock.now(), .backup_folder = folder.path("backups")};
  Metrics metrics;
  std::unique_ptr<store::sqlite::SqliteStore> database = store::sqlite::open_for_test(folder.path("muster.db"), clock, metrics);
  store::ScriptedStore store{*database};
  std::unique_ptr<engine::Engine> engine = std::make_unique<engine::Engine>(store, clock, metrics, engine::Options());
  std::unique_ptr<command::Door> door;  // made when it is first needed
  net::IoLoop loop{clock};
  std::unique_ptr<HttpFront> front;
};

// With a thread that does the engine's passes.
class TickingFrontTest : public FrontTest {
 protected:
  void start(HttpOptions options = {});
  void TearDown() override;

 private:
  std::thread ticker_;
  std::atomic<bool> ticking_{false};
};

}  // namespace muster::http
