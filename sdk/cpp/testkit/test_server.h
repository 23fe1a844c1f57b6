// A Muster server in the test's own process, whose time is skipped while nothing happens: a workflow that sleeps for thirty days
// is tested in milliseconds.
//
//   auto server = TestServer::start();
//   auto worker = (*server)->worker("orders").build();
//   worker->register_workflow("renew", renew);
//   worker->start();
//   auto run = (*server)->client("orders").start("renew", 7);
//   EXPECT_EQ(*run->result<std::string>(), "renewed");
//
// Time runs as on the wall, and is moved to the next due instant (the end of a sleep, a retry, the limit of a wait, a fire of a
// schedule) whenever no run is running or ready. Workers that are alive stay so: they are heard of at the new time before anybody
// looks. A run that is ready and that no worker takes, or a step that runs, holds time up.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sdk/cpp/result.h"
#include "sdk/cpp/time.h"
#include "sdk/cpp/workflow/client.h"
#include "sdk/cpp/workflow/worker.h"

namespace muster::sdk::testkit {

struct TestServerOptions {
  bool skips_time = true;
  Duration heartbeat_every{1'000};  // whole seconds
  Duration dead_after{3'000};       // the silence after which a worker is given up
  std::uint16_t port = 0;           // 0 picks a free one
};

class TestServer {
 public:
  // Keeps its database in a folder of its own until it is destroyed.
  static Result<std::unique_ptr<TestServer>> start(const TestServerOptions& options = {});
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  const std::string& address() const;  // host:port
  Instant now() const;

  // A worker of this server, with its clock, without signal handling, silent. Settings can be changed before build().
  workflow::WorkerBuilder worker(std::string queue) const;
  // A client whose runs go to this queue.
  workflow::Client client(std::string queue) const;

  // Moves time by hand, and lets silence count: workers that are not heard of in time are given up.
  void advance(Duration by);
  // Whether time is skipped from now on.
  void set_skipping(bool skips);
  // How often time was skipped so far.
  std::uint64_t skips() const;

  // Ends the server as if it were killed as far as clients can see, and starts it again on the same port and data. Time goes on.
  Result<Nothing> restart();
  // The first half of it, for tests of what happens in between.
  void stop();
  Result<Nothing> start_again();

 private:
  struct State;
  explicit TestServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace muster::sdk::testkit
