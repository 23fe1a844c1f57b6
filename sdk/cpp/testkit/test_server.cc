#include "sdk/cpp/testkit/test_server.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/metrics.h"
#include "engine/engine.h"
#include "fronts/grpc/front.h"
#include "net/io_loop.h"
#include "sdk/cpp/testkit/skipping_clock.h"
#include "sdk/cpp/testkit/time_skipper.h"
#include "store/sqlite/store.h"

namespace muster::sdk::testkit {
namespace {

constexpr const char* kHost = "127.0.0.1";

Error failed(std::string_view what, const muster::Status& status) {
  return Error{Code::unavailable, 0, fmt::format("{}: {}", what, status.message()), {}};
}

// Gone with the object, whatever happened in it.
class Folder {
 public:
  Folder() {
    std::error_code error;
    std::string pattern = (std::filesystem::temp_directory_path(error) / "muster-testkit-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

struct TestServer::State {
  explicit State(const TestServerOptions& given) : options(given), may_skip(given.skips_time) {}
  ~State() { stop(); }

  TestServerOptions options;
  Folder folder;
  SkippingClock clock;
  Metrics metrics;
  std::atomic<bool> may_skip;
  std::uint64_t skips_before = 0;
  std::string address;
  RealClock wire_clock;  // time that skips is no reason to hang up on anybody
  // In the order in which they need each other.
  std::unique_ptr<net::IoLoop> loop;
  std::unique_ptr<store::sqlite::SqliteStore> database;
  std::unique_ptr<engine::Engine> rules;
  std::unique_ptr<command::Door> door;
  std::unique_ptr<rpc::GrpcFront> listener;
  std::unique_ptr<TimeSkipper> skipper;

  Result<Nothing> start() {
    if (folder.path().empty()) return Error{Code::unavailable, 0, "no folder for the test server's data could be made", {}};
    auto opened = store::sqlite::SqliteStore::open(
        {.path = folder.path() + "/muster.db", .durability = store::sqlite::Durability::normal}, clock, metrics);
    if (!opened.ok()) return failed("test server's store", opened.status());
    database = *std::move(opened);
    engine::Options settings;
    settings.policies[static_cast<std::size_t>(Dialect::grpc)] = {.interval = options.heartbeat_every,
                                                                  .dead_after = options.dead_after};
    rules = std::make_unique<engine::Engine>(*database, clock, metrics, settings);
    rpc::GrpcOptions listen;
    listen.address = kHost;
    listen.port = options.port;
    listen.compat_flags.heartbeat_every = options.heartbeat_every;
    listen.compat_flags.dead_after = options.dead_after;
    listen.compat_flags.refused_poll_hold = Duration(10);
    door = std::make_unique<command::Door>(*rules, command::ServerFacts{.version = "test", .started_at = clock.now()}, metrics);
    loop = std::make_unique<net::IoLoop>(wire_clock, &metrics);
    loop->start();
    auto listening = rpc::GrpcFront::start(*loop, *door, metrics, std::move(listen));
    if (!listening.ok()) {
      const Error error = failed("test server's listener", listening.status());
      stop();
      return error;
    }
    listener = *std::move(listening);
    options.port = listener->port();
    address = fmt::format("{}:{}", kHost, options.port);
    skipper = std::make_unique<TimeSkipper>(*rules, clock, may_skip);
    return Nothing{};
  }

  void stop() {
    if (listener) listener->stop(Duration(0));
    listener.reset();
    if (skipper) skips_before += skipper->skips();
    skipper.reset();
    if (rules) rules->stop();
    if (database) (void)database->close();
    door.reset();
    rules.reset();
    database.reset();
    loop.reset();
  }
};

TestServer::TestServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
TestServer::~TestServer() = default;

Result<std::unique_ptr<TestServer>> TestServer::start(const TestServerOptions& options) {
  auto state = std::make_unique<State>(options);
  if (const Result<Nothing> started = state->start(); !started.ok()) return started.error();
  return std::unique_ptr<TestServer>(new TestServer(std::move(state)));
}

const std::string& TestServer::address() const { return state_->address; }

Instant TestServer::now() const { return state_->clock.now(); }

workflow::WorkerBuilder TestServer::worker(std::string queue) const {
  workflow::WorkerBuilder builder(state_->address, std::move(queue));
  builder.handle_signals(false).clock([clock = &state_->clock] { return clock->now(); }).log([](std::string_view) {});
  return builder;
}

workflow::Client TestServer::client(std::string queue) const {
  workflow::Connection connection;
  connection.address = state_->address;
  // The address is our own: it is always good.
  return *workflow::Client::open(std::move(connection), std::move(queue));
}

void TestServer::advance(Duration by) { state_->clock.skip(by); }

void TestServer::set_skipping(bool skips) { state_->may_skip.store(skips); }

std::uint64_t TestServer::skips() const { return state_->skips_before + (state_->skipper ? state_->skipper->skips() : 0); }

Result<Nothing> TestServer::restart() {
  stop();
  return start_again();
}

void TestServer::stop() { state_->stop(); }

Result<Nothing> TestServer::start_again() { return state_->start(); }

}  // namespace muster::sdk::testkit
