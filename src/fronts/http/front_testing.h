// The front on a loopback port with the real engine over a store in memory. Time stands still unless a test moves it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/metrics.h"
#include "base/patience_testing.h"
#include "command/door.h"
#include "engine/engine.h"
#include "fronts/http/client_testing.h"
#include "fronts/http/front.h"
#include "fronts/http/memory_store_testing.h"
#include "net/io_loop.h"

namespace muster::http {

class FrontTest : public testing::Test {
 protected:
  void start(HttpOptions options = {});  // on a free port
  void TearDown() override;

  command::Door& the_door();
  Client connect() { return Client(front->port()); }
  // One request on a connection of its own.
  Answer call(std::string_view method, std::string_view target, std::string_view body = {}, std::string_view headers = {});
  nlohmann::json call_json(std::string_view method, std::string_view target, std::string_view body = {}, int status = 200);
  void register_worker(std::string_view id);
  std::string submit(std::string_view spec);          // the id
  nlohmann::json claim_one(std::string_view worker);  // the grant

  ManualClock clock;
  // A test may change them before start().
  command::ServerFacts facts{
      .version = "0.1.0", .started_at = clock.now(), .backup_folder = testing::TempDir() + "front-backups"};
  Metrics metrics;
  MemoryStore store{clock};
  engine::Engine engine{store, clock, metrics, {}};
  std::unique_ptr<command::Door> door;  // made when it is first needed
  net::IoLoop loop{clock};
  std::unique_ptr<HttpFront> front;
};

}  // namespace muster::http
