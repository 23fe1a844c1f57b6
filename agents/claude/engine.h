// The client's thread: which calls run, which wait for room, for tokens or for their next try, and how each ends.
//
//   submit ─► waiting ─► running ─► ended            waiting: calls_max at a time, tokens a minute, a pause that the API asked
//   for
//                ▲          │
//                └─ later ◄─┘ a try failed that may be repeated
//
// Streams wait in one line and the other calls, which are short, in another, so that a poll of a batch never waits for a stream.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

#include "agents/claude/api.h"
#include "agents/claude/client.h"
#include "agents/claude/curl_loop.h"
#include "agents/claude/receiver.h"
#include "agents/claude/token_budget.h"
#include "agents/claude/transfer.h"
#include "base/clock.h"
#include "base/incident.h"
#include "base/metrics.h"

namespace muster::claude {

enum class CallKind : std::uint8_t { stream, batch_create, batch_get, batch_cancel, batch_results, count_tokens };
inline constexpr std::size_t kCallKinds = 6;

class Engine : public std::enable_shared_from_this<Engine> {
 public:
  Engine(Config config, const Clock& clock, Metrics& metrics);  // both outlive it
  ~Engine();

  void start();  // once, behind construction: the thread shares this

  // `tokens`: what it may cost. From any thread; a call that is refused ends before this returns.
  CallId submit(CallKind kind, Request request, std::unique_ptr<Receiver> receiver, std::uint64_t tokens);
  void cancel(CallId call);
  void stop();

  const Config& config() const { return config_; }
  void count_usage(const TokenUsage& usage);

 private:
  enum class Place : std::uint8_t { waiting, running, later };

  struct Call {
    CallId id{};
    CallKind kind{};
    Request request;
    std::unique_ptr<Receiver> receiver;
    std::uint64_t tokens = 0;
    std::uint32_t attempts = 0;
    Ticks submitted_at{};
    Place place = Place::waiting;
    std::unique_ptr<Transfer> transfer;  // while running
  };

  using Posted = std::variant<std::unique_ptr<Call>, CallId>;  // a call, or one to cancel

  void run();
  bool take_posted();  // false: the end has come
  void wait_in_line(Call& call, bool first);
  void wake_due(Ticks now);
  void admit(Ticks now);
  void go_on();
  void begin(Call& call);
  void finished(CURL* easy, CURLcode code);
  void give_up_silent(Ticks now);
  void settle(Call& call, Outcome outcome);
  void release(Call& call);
  void end(CallId id, const Status& status);
  void end_all();
  void tell(Call& call, const Status& status);
  Call* find(CallId id);
  double random();

  const Config config_;
  const Status config_status_;
  const Clock& clock_;
  Metrics& metrics_;
  Incidents incidents_;
  std::array<Histogram*, kCallKinds> seconds_{};
  std::array<Counter*, 4> tokens_{};
  Counter& retries_;
  CurlLoop loop_;

  std::mutex mutex_;  // leaf; guards the two below
  std::vector<Posted> posted_;
  bool stopping_ = false;
  std::atomic<std::size_t> live_ = 0;  // calls that have not ended
  std::atomic<std::uint64_t> last_id_ = 0;
  std::mutex join_mutex_;  // held while somebody waits for the thread
  std::thread thread_;
  std::atomic<std::thread::id> thread_id_{};

  // The thread's own.
  std::unordered_map<std::uint64_t, std::unique_ptr<Call>> calls_;
  std::deque<CallId> streams_waiting_;
  std::deque<CallId> short_waiting_;
  std::multimap<Ticks, CallId> later_;  // a call that was cancelled is found missing when it is due
  std::vector<CURL*> idle_handles_;
  std::vector<Call*> results_;  // of batches, that are being read
  std::size_t streams_running_ = 0;
  std::size_t short_running_ = 0;
  TokenBudget budget_;
  Ticks paused_until_{};
  Ticks silence_checked_at_{};
  std::uint64_t random_state_;
};

}  // namespace muster::claude
