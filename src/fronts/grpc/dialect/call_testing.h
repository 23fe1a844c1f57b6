// Methods driven without a socket: a call that keeps what it was answered, on the real engine over a real SQLite file in a folder
// of its own. Time stands still unless a test moves it; a thread of the harness does the engine's background passes.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/metrics.h"
#include "base/patience_testing.h"
#include "command/door.h"
#include "engine/engine.h"
#include "fronts/grpc/core.h"
#include "fronts/grpc/methods.h"
#include "net/io_loop.h"
#include "store/sqlite/store.h"

namespace muster::rpc {

// Waits give up after patience(), so that a test fails instead of hanging.
class FakeCall final : public Call {
 public:
  FakeCall(Core& core, std::string bytes, std::map<std::string, std::string> metadata = {});

  std::string_view metadata(std::string_view name) const override;
  void add_metadata(std::string name, std::string value) override;
  void answer(std::string response) override;
  void refuse(WireError error) override;
  void on_cancel(UniqueFunction<void()> then) override;
  bool cancelled() const override;

  void cancel();  // as the client does
  bool answered() const;
  bool wait();  // until it is answered
  const std::string& response() const { return response_; }
  const std::optional<WireError>& error() const { return error_; }
  std::string trailing(const std::string& name) const;

 private:
  void finish(std::unique_lock<std::mutex>& lock);

  const std::map<std::string, std::string, std::less<>> metadata_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> trailing_;
  std::string response_;
  std::optional<WireError> error_;
  UniqueFunction<void()> then_;
  bool answered_ = false;
  bool cancelled_ = false;
};

// What a call came back with. `code` is ok or the wire's.
template <class Response>
struct Answer {
  WireCode code = WireCode::unknown;
  Response message;
  std::string text;     // of an error
  std::string details;  // of an error
  std::shared_ptr<FakeCall> call;
  const Response* operator->() const { return &message; }
};

class MethodTest : public testing::Test {
 protected:
  MethodTest();
  void SetUp() override { start(); }
  void TearDown() override;
  void start();
  void stop();
  // Ends everything but the file and starts again on it.
  void restart();

  void advance(Duration by) { clock.advance(by); }

  std::shared_ptr<FakeCall> begin(std::string_view service, std::string_view method, std::string bytes,
                                  std::map<std::string, std::string> metadata = {});

  template <class Response>
  static Answer<Response> end(const std::shared_ptr<FakeCall>& call) {
    Answer<Response> answer;
    answer.call = call;
    if (!call->wait()) {
      ADD_FAILURE() << "a call was not answered";
      return answer;
    }
    answer.code = call->error() ? call->error()->code : WireCode::ok;
    if (call->error()) {
      answer.text = call->error()->message;
      answer.details = call->error()->details;
    } else {
      EXPECT_TRUE(answer.message.ParseFromString(call->response()));
    }
    return answer;
  }

  ManualClock clock;
  engine::Options engine_options;
  GrpcOptions options;  // a test may change them and restart()
  command::Caller caller{.role = command::Role::operator_role, .name = "test", .address = "test", .worker = {}};
  std::string connection = "ipv4:127.0.0.1:1";    // by which the next calls come
  std::shared_ptr<command::AgentService> agents;  // null: the server runs none. Shared with its facts
  std::string folder;
  std::unique_ptr<Metrics> metrics;
  std::unique_ptr<store::sqlite::SqliteStore> store;
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<command::Door> door;
  std::unique_ptr<net::IoLoop> loop;
  std::unique_ptr<Core> core;

 private:
  std::thread ticker_;
  std::vector<std::pair<std::string, std::weak_ptr<FakeCall>>> made_;  // by method
  std::atomic<bool> ticking_{false};
};

}  // namespace muster::rpc
