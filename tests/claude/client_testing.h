// A client and the stand-in it talks to, with a clock that the test moves.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/claude/client.h"
#include "base/ask_testing.h"
#include "base/patience_testing.h"
#include "tests/claude/stand_in.h"

namespace muster::claude {

// What one stream has said. Thread-safe.
class Heard final : public StreamSink {
 public:
  void started(std::uint32_t attempt) override {
    const std::lock_guard lock(mutex_);
    attempts_ = attempt;
    text_.clear();
  }
  void delta(const Delta& delta) override {
    const std::lock_guard lock(mutex_);
    if (delta.kind == DeltaKind::text) text_ += delta.text;
    ++deltas_;
  }
  void ended(Result<Answer> answer) override {
    const std::lock_guard lock(mutex_);
    EXPECT_FALSE(answer_.has_value()) << "a stream ends once";
    answer_.emplace(std::move(answer));
  }

  bool has_ended() const {
    const std::lock_guard lock(mutex_);
    return answer_.has_value();
  }
  Result<Answer> answer() const {
    const std::lock_guard lock(mutex_);
    return answer_ ? *answer_ : Result<Answer>(Status::internal("the stream has not ended"));
  }
  std::uint32_t attempts() const {
    const std::lock_guard lock(mutex_);
    return attempts_;
  }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  std::size_t deltas() const {
    const std::lock_guard lock(mutex_);
    return deltas_;
  }

 private:
  mutable std::mutex mutex_;  // leaf; guards the four below
  std::uint32_t attempts_ = 0;
  std::string text_;
  std::size_t deltas_ = 0;
  std::optional<Result<Answer>> answer_;
};

inline constexpr const char* kKey = "sk-ant-secret-0123456789";

class ClientTest : public testing::Test {
 protected:
  void serve(std::string script) {
    auto started = stand_in::StandIn::start({.script = std::move(script), .key = kKey});
    ASSERT_TRUE(started.ok()) << started.status().message();
    server = *std::move(started);
    config.base_url = server->url() + "/";
    config.api_key = kKey;
  }
  Client& client() {
    if (!client_) client_ = std::make_unique<Client>(config, clock, metrics);
    return *client_;
  }
  static std::string params(const std::string& text = "hello") {
    return R"({"model":"m","max_tokens":100,"messages":[{"role":"user","content":")" + text + R"("}]})";
  }
  std::shared_ptr<Heard> start(const std::string& text = "hello") {
    auto heard = std::make_shared<Heard>();
    client().stream(params(text), {}, heard);
    return heard;
  }
  // Time passes until it has ended.
  Result<Answer> finish(const std::shared_ptr<Heard>& heard) {
    EXPECT_TRUE(eventually([&] {
      clock.advance(Duration(50));
      return heard->has_ended();
    }));
    return heard->answer();
  }
  Result<Answer> say(const std::string& text = "hello") { return finish(start(text)); }

  template <class T, class Start>
  Result<T> ask_in_time(Start begin) {
    const auto answer = std::make_shared<std::optional<Result<T>>>();
    const auto mutex = std::make_shared<std::mutex>();
    begin(Reply<T>([answer, mutex](Result<T> got) {
      const std::lock_guard lock(*mutex);
      answer->emplace(std::move(got));
    }));
    EXPECT_TRUE(eventually([&] {
      clock.advance(Duration(50));
      const std::lock_guard lock(*mutex);
      return answer->has_value();
    }));
    const std::lock_guard lock(*mutex);
    return *answer ? **answer : Result<T>(Status::internal("no answer came"));
  }

  std::uint64_t counted(const char* name, const MetricLabels& labels) { return metrics.counter(name, "", labels).value(); }

  ManualClock clock;
  Metrics metrics;
  Config config;
  std::unique_ptr<stand_in::StandIn> server;

 private:
  std::unique_ptr<Client> client_;
};

}  // namespace muster::claude
