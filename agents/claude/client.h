// The model's API over HTTP. Knows HTTP and the API's JSON, nothing of runs.
//
// All transfers run on one thread of the client's own (libcurl's multi interface on epoll). Sinks and replies are called on it
// and must not block. What may be tried again is tried again in here, with the API's own `retry-after` and within the budget that
// all calls of this client share (calls at a time, tokens a minute). The key is in no message, log line or exception.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agents/claude/api.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/status.h"

namespace muster::claude {

struct Config {
  std::string base_url = "https://api.anthropic.com";
  std::string api_key;  // empty: none is sent, for an API that takes none
  std::string version = "2023-06-01";
  std::vector<std::string> betas;       // anthropic-beta of every call
  std::string proxy;                    // empty: none, whatever the environment says
  std::string ca_file;                  // empty: the system's
  std::size_t calls_max = 1'000;        // at a time; more wait
  std::uint64_t tokens_per_minute = 0;  // asked for and answered; 0: no limit. Calls wait for room
  std::uint32_t tries_max = 3;          // of one call, counting the first
  Duration retry_base{500};
  Duration retry_max{8'000};
  Duration connect_timeout{10'000};
  Duration silence_timeout{5 * 60'000};  // no byte for so long: the connection is lost
};

// What is wrong with a configuration, if anything. A client with a wrong one answers every call with it.
Status validate(const Config& config);

class Engine;

class Client final : public Api {
 public:
  Client(Config config, const Clock& clock, Metrics& metrics);  // both outlive it
  ~Client() override;                                           // stop()
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  CallId stream(std::string params, std::vector<std::string> betas, std::shared_ptr<StreamSink> sink) override;
  void cancel(CallId call) override;
  void create_batch(std::vector<BatchRequest> requests, std::vector<std::string> betas, Reply<Batch> reply) override;
  void get_batch(std::string id, Reply<Batch> reply) override;
  void cancel_batch(std::string id, Reply<Batch> reply) override;
  void batch_results(std::string id, std::shared_ptr<LineSink> lines, Reply<std::uint64_t> reply) override;
  void count_tokens(std::string params, std::vector<std::string> betas, Reply<std::uint64_t> reply) override;
  // Waits for the thread, unless a sink or a reply calls it.
  void stop() override;

 private:
  std::shared_ptr<Engine> engine_;  // shared with the thread
};

}  // namespace muster::claude
