#include "agents/claude/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agents/claude/limits.h"
#include "base/uuid.h"

namespace muster::claude {
namespace {

// A clock that stands still in a test wakes nobody, so whatever waits for it is looked at so often.
constexpr int kLookEveryMs = 20;
constexpr Ticks kSilenceCheckEvery = std::chrono::milliseconds(100);

constexpr std::array<const char*, kCallKinds> kKindNames{"stream",       "batch_create",  "batch_get",
                                                         "batch_cancel", "batch_results", "count_tokens"};
constexpr std::array<const char*, 4> kTokenNames{"input", "output", "cache_creation", "cache_read"};

std::vector<double> call_bounds() { return {0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600}; }

Status stopped() { return Status::conflict("the client of the model's API has stopped"); }

}  // namespace

Engine::Engine(Config config, const Clock& clock, Metrics& metrics)
    : config_(std::move(config)),
      config_status_(validate(config_)),
      clock_(clock),
      metrics_(metrics),
      incidents_(metrics, "agents"),
      retries_(metrics.counter("muster_model_retries_total", "Tries of calls of the model's API after the first.")),
      loop_(config_.calls_max),
      budget_(config_.tokens_per_minute),
      random_state_(random_seed()) {
  for (std::size_t i = 0; i < kCallKinds; ++i)
    seconds_[i] = &metrics.histogram("muster_model_call_seconds", "Time of calls of the model's API, waits and tries included.",
                                     call_bounds(), {{"kind", kKindNames[i]}});
  for (std::size_t i = 0; i < tokens_.size(); ++i)
    tokens_[i] =
        &metrics.counter("muster_model_tokens_total", "Tokens that the model's API has counted.", {{"kind", kTokenNames[i]}});
}

Engine::~Engine() {
  for (CURL* const easy : idle_handles_) curl_easy_cleanup(easy);
  if (thread_.joinable()) thread_.detach();  // the thread itself lets go of the engine last
}

void Engine::start() {
  if (!loop_.status().ok()) return;
  thread_ = std::thread([self = shared_from_this()] {
    self->thread_id_ = std::this_thread::get_id();
    self->run();
  });
}

CallId Engine::submit(CallKind kind, Request request, std::unique_ptr<Receiver> receiver, std::uint64_t tokens) {
  auto call = std::make_unique<Call>();
  call->id = CallId(++last_id_);
  call->kind = kind;
  call->request = std::move(request);
  call->receiver = std::move(receiver);
  call->tokens = tokens;
  call->submitted_at = clock_.elapsed();
  const CallId id = call->id;
  Status refused = !config_status_.ok() ? config_status_ : loop_.status();
  if (refused.ok() && live_ >= config_.calls_max + kModelCallsWaitingMax)
    refused = Status::exhausted(fmt::format("{} calls of the model's API wait already", kModelCallsWaitingMax));
  if (refused.ok()) {
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      refused = stopped();
    } else {
      ++live_;
      posted_.emplace_back(std::move(call));
    }
  }
  if (!refused.ok()) {
    tell(*call, refused);
  } else if (std::this_thread::get_id() != thread_id_.load()) {
    loop_.wake();
  }
  return id;
}

void Engine::cancel(CallId call) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;  // everything ends anyway
    posted_.emplace_back(call);
  }
  if (std::this_thread::get_id() != thread_id_.load()) loop_.wake();
}

void Engine::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  if (std::this_thread::get_id() == thread_id_.load()) return;
  loop_.wake();
  const std::lock_guard lock(join_mutex_);
  if (thread_.joinable()) thread_.join();
}

void Engine::count_usage(const TokenUsage& usage) {
  tokens_[0]->add(usage.input);
  tokens_[1]->add(usage.output);
  tokens_[2]->add(usage.cache_creation);
  tokens_[3]->add(usage.cache_read);
}

void Engine::run() {
  const std::function<void(CURL*, CURLcode)> done = [this](CURL* easy, CURLcode code) { finished(easy, code); };
  while (take_posted()) {
    const Ticks now = clock_.elapsed();
    wake_due(now);
    admit(now);
    go_on();
    give_up_silent(now);
    loop_.run(calls_.empty() ? -1 : kLookEveryMs, done);
  }
  end_all();
}

bool Engine::take_posted() {
  std::vector<Posted> taken;
  bool go_on = true;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(posted_);
    go_on = !stopping_;
  }
  for (Posted& each : taken) {
    if (auto* const call = std::get_if<std::unique_ptr<Call>>(&each)) {
      Call& kept = **call;
      calls_.emplace(static_cast<std::uint64_t>(kept.id), std::move(*call));
      wait_in_line(kept, false);
    } else {
      end(std::get<CallId>(each), Status::conflict("the call was cancelled"));
    }
  }
  return go_on;
}

void Engine::wait_in_line(Call& call, bool first) {
  call.place = Place::waiting;
  std::deque<CallId>& line = call.kind == CallKind::stream ? streams_waiting_ : short_waiting_;
  if (first)
    line.push_front(call.id);
  else
    line.push_back(call.id);
}

void Engine::wake_due(Ticks now) {
  while (!later_.empty() && later_.begin()->first <= now) {
    Call* const call = find(later_.begin()->second);
    later_.erase(later_.begin());
    if (call != nullptr && call->place == Place::later) wait_in_line(*call, true);
  }
}

void Engine::admit(Ticks now) {
  while (!short_waiting_.empty() && short_running_ < kModelShortCallsMax) {
    Call& call = *find(short_waiting_.front());
    short_waiting_.pop_front();
    begin(call);
  }
  while (!streams_waiting_.empty() && streams_running_ < config_.calls_max && now >= paused_until_) {
    Call& call = *find(streams_waiting_.front());
    if (!budget_.take(call.tokens, now)) return;
    streams_waiting_.pop_front();
    begin(call);
  }
}

// Results whose reader had no room for more. Looked at so often that nobody has to tell.
void Engine::go_on() {
  for (Call* const call : results_) call->transfer->go_on();
}

void Engine::begin(Call& call) {
  CURL* easy = nullptr;
  if (idle_handles_.empty()) {
    easy = curl_easy_init();
  } else {
    easy = idle_handles_.back();
    idle_handles_.pop_back();
  }
  if (easy == nullptr) return end(call.id, Status::unavailable("libcurl has no room for another call"));
  call.place = Place::running;
  ++call.attempts;
  if (call.attempts > 1) retries_.add();
  ++(call.kind == CallKind::stream ? streams_running_ : short_running_);
  try {
    call.receiver->started(call.attempts);
  } catch (...) {
    static_cast<void>(Incident(incidents_, "the beginning of a call of the model's API"));
  }
  call.transfer = std::make_unique<Transfer>(config_, clock_, incidents_, call.request, *call.receiver, easy);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, &call);
  if (call.kind == CallKind::batch_results) results_.push_back(&call);
  if (!loop_.add(easy)) settle(call, {.status = Status::unavailable("libcurl refused the call")});
}

void Engine::finished(CURL* easy, CURLcode code) {
  Call* call = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &call);
  if (call != nullptr && call->transfer != nullptr) settle(*call, call->transfer->outcome(code));
}

void Engine::give_up_silent(Ticks now) {
  if (now - silence_checked_at_ < kSilenceCheckEvery) return;
  silence_checked_at_ = now;
  struct Silent {
    Call* call;
    const char* what;
    Duration limit;
  };
  std::vector<Silent> silent;
  for (const auto& [id, call] : calls_) {
    if (call->transfer == nullptr) continue;
    if (now - call->transfer->last_byte_at(now) >= Ticks(config_.silence_timeout))
      silent.push_back({call.get(), "no byte for", config_.silence_timeout});
    else if (now - call->transfer->began_at() >= Ticks(kModelCallTimeMax))
      silent.push_back({call.get(), "no end within", kModelCallTimeMax});
  }
  for (const Silent& each : silent) {
    loop_.remove(each.call->transfer->easy());
    settle(*each.call, each.call->transfer->given_up(fmt::format("{} {} ms", each.what, each.limit.count())));
  }
}

// REQUIRES: the transfer is no longer in the loop.
void Engine::settle(Call& call, Outcome outcome) {
  release(call);
  if (outcome.status.ok() || !outcome.retryable || call.attempts >= config_.tries_max) {
    if (call.attempts > 1 && !outcome.status.ok())
      outcome.status = Status(outcome.status.code(), fmt::format("{} (tried {} times)", outcome.status.message(), call.attempts));
    return end(call.id, outcome.status);
  }
  const Ticks now = clock_.elapsed();
  const Ticks due = now + outcome.after.value_or(retry_delay(call.attempts, config_.retry_base, config_.retry_max, random()));
  // The limit is one for all calls of the key: others would only be told the same.
  if (outcome.http_status == 429 && outcome.after) paused_until_ = std::max(paused_until_, due);
  call.place = Place::later;
  later_.emplace(due, call.id);
}

// A try is over: its handle, its place and the tokens it did not use are there for others.
void Engine::release(Call& call) {
  CURL* const easy = call.transfer->easy();
  call.transfer.reset();
  std::erase(results_, &call);
  if (idle_handles_.size() < kModelIdleHandlesMax)
    idle_handles_.push_back(easy);
  else
    curl_easy_cleanup(easy);
  if (call.kind == CallKind::stream) {
    --streams_running_;
    const TokenUsage usage = call.receiver->usage();
    budget_.correct(call.tokens, usage.total());
    count_usage(usage);
  } else {
    --short_running_;
  }
}

// Nothing happens when it has ended already.
void Engine::end(CallId id, const Status& status) {
  const auto at = calls_.find(static_cast<std::uint64_t>(id));
  if (at == calls_.end()) return;
  const std::unique_ptr<Call> call = std::move(at->second);
  calls_.erase(at);
  if (call->transfer != nullptr) {
    loop_.remove(call->transfer->easy());
    release(*call);
  } else if (call->place == Place::waiting) {
    std::erase(call->kind == CallKind::stream ? streams_waiting_ : short_waiting_, id);
  }
  --live_;
  tell(*call, status);
}

void Engine::end_all() {
  while (!calls_.empty()) end(calls_.begin()->second->id, stopped());
}

void Engine::tell(Call& call, const Status& status) {
  const auto kind = static_cast<std::size_t>(call.kind);
  metrics_
      .counter("muster_model_calls_total", "Calls of the model's API that have ended.",
               {{"kind", kKindNames[kind]}, {"outcome", std::string(to_string(status.code()))}})
      .add();
  seconds_[kind]->observe(std::chrono::duration<double>(clock_.elapsed() - call.submitted_at).count());
  try {
    if (status.ok())
      call.receiver->deliver();
    else
      call.receiver->fail(status);
  } catch (...) {
    static_cast<void>(Incident(incidents_, "the end of a call of the model's API"));
  }
}

Engine::Call* Engine::find(CallId id) {
  const auto at = calls_.find(static_cast<std::uint64_t>(id));
  return at == calls_.end() ? nullptr : at->second.get();
}

double Engine::random() {
  constexpr int kBits = 53;
  random_state_ = mix64(random_state_);
  return static_cast<double>(random_state_ >> (64 - kBits)) / static_cast<double>(std::uint64_t{1} << kBits);
}

}  // namespace muster::claude
