#include "worker/agent.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "base/log.h"
#include "base/time_text.h"
#include "worker/exit.h"
#include "worker/refusal.h"

namespace muster::worker {
namespace {

using nlohmann::json;

constexpr Duration kTick{50};          // between looks at signals and at what is left
constexpr Duration kBeatRetry{1'000};  // after a beat that did not get through
constexpr Duration kKillWait{10'000};  // for killed tools to be gone, at the end

sdk::resp::ClientOptions with_user(sdk::resp::ClientOptions options, const std::string& user) {
  options.user = user;
  return options;
}

sdk::resp::ClientOptions with_resp3(sdk::resp::ClientOptions options) {
  options.resp3 = true;
  return options;
}

std::uint64_t chance() { return std::random_device()(); }

}  // namespace

Agent::Agent(AgentOptions options, const Executor& executor, Spool& spool, const Clock& clock)
    : options_(std::move(options)),
      executor_(executor),
      spool_(spool),
      clock_(clock),
      started_at_(clock.elapsed()),
      control_(with_user(options_.client, options_.identity.id), clock, chance()),
      deliverer_(spool, control_, deliver_pause_) {
  slots_ =
      std::make_unique<Slots>(options_.identity.max_concurrent, [this](const Job& job, Cancel& cancel) { work(job, cancel); });
  puller_ = std::make_unique<Puller>(
      PullerOptions{.client = with_resp3(options_.client),
                    .worker_id = options_.identity.id,
                    .registration = registration_json(options_.identity, executor.tools()),
                    .queues = options_.queues,
                    .once = options_.once,
                    .adopts = options_.adopts,
                    .seed = chance()},
      PullerSeams{.slot_free = [this](Duration wait) { return slot_free(wait); },
                  .idle = [this] { return settled(); },
                  .has_job = [this](const std::string& id) { return slots_->holds(id) || deliverer_.has(id); },
                  .start =
                      [this](Job job) {
                        const std::string id = job.id;
                        if (!slots_->start(std::move(job))) log::warn("a job was handed out twice", {{"job_id", id}});
                      },
                  .verify =
                      [this](Verification challenge) {
                        if (!challenges_.try_push(std::move(challenge))) log::warn("too many challenges at once", {});
                      },
                  .registered =
                      [this](std::optional<Duration> interval) {
                        {
                          const std::lock_guard lock(mutex_);
                          registered_ = true;
                          if (interval) interval_ = *interval;
                        }
                        beat_pause_.wake();
                        control_.retry_now();
                        deliverer_.begin();
                        deliver_pause_.wake();
                      },
                  .drop_control = [this] { control_.drop(); }},
      pull_pause_);
}

Agent::~Agent() = default;

bool Agent::slot_free(Duration wait) {
  if (deliverer_.empty()) caught_up_ = true;
  // Old results first: the server counts their jobs among those this worker runs.
  if (!caught_up_ || deliverer_.waiting() >= kSpoolFilesMax) {
    static_cast<void>(pull_pause_.wait(wait));
    return false;
  }
  return slots_->wait_free(wait);
}

bool Agent::tell(const std::string& job_id, const std::string& update) {
  const auto reply = control_.say({"JOB.UPDATE", job_id, update});
  // What could not be said now is said with the result.
  if (!reply.ok() || !reply->is_error()) return true;
  if (read_refusal(reply->text) != Refusal::stale) return true;
  log::warn("a job is not ours any more", {{"job_id", job_id}, {"error", reply->text}});
  return false;
}

void Agent::progress(const std::string& job_id, std::uint32_t number, std::size_t total) {
  const std::string update =
      json{{"worker_id", options_.identity.id}, {"current_task", number}, {"progress_percent", (number - 1) * 100 / total}}
          .dump();
  {
    const std::lock_guard lock(mutex_);
    progress_[job_id] = {.update = update, .at = clock_.elapsed()};
  }
  if (!tell(job_id, update)) slots_->cancel(job_id);
}

void Agent::work(const Job& job, Cancel& cancel) {
  if (abandoned_) return;
  if (job.verification) {
    // The server settles the job of a challenge with its verdict; one it has forgotten must not stay behind as running.
    if (!answer(*job.verification, cancel))
      static_cast<void>(tell(job.id, json{{"status", "completed"}, {"worker_id", options_.identity.id}}.dump()));
    return;
  }
  const Ticks began = clock_.elapsed();
  log::info("job started", {{"job_id", job.id}, {"worker_id", options_.identity.id}});
  const json start{{"status", "running"}, {"worker_id", options_.identity.id}, {"started_at", to_rfc3339(clock_.now())}};
  if (!tell(job.id, start.dump())) return;
  const JobOutcome outcome =
      executor_.run(job, cancel, [&](std::uint32_t number, std::size_t total) { progress(job.id, number, total); });
  {
    const std::lock_guard lock(mutex_);
    progress_.erase(job.id);
  }
  const auto took = std::chrono::duration_cast<Duration>(clock_.elapsed() - began);
  if (outcome.cancelled) {
    log::warn("job dropped", {{"job_id", job.id}, {"worker_id", options_.identity.id}});
    return;
  }
  counters_.finished(outcome.completed, took);
  log::info(outcome.completed ? "job completed" : "job failed", {{"job_id", job.id},
                                                                 {"worker_id", options_.identity.id},
                                                                 {"duration_ms", std::int64_t{took.count()}},
                                                                 {"tasks", static_cast<std::int64_t>(outcome.tasks.size())}});
  const Report report = make_report(job, outcome, options_.identity.id, clock_.now());
  if (Status kept = deliverer_.add(report); !kept.ok()) {
    // Without the spool the result lives only as long as this call.
    log::error("a result could not be spooled", {{"job_id", job.id}, {"error", kept.message()}});
    if (!tell(job.id, report.update)) return;
  }
}

bool Agent::answer(const Verification& challenge, const Cancel& cancel) {
  const Executor::Verdict verdict = executor_.verify(challenge, cancel);
  json reply{{"output", cut_text(verdict.output, kErrorTextMax)}, {"exit_code", verdict.exit_code}};
  if (!challenge.id.empty()) reply["id"] = challenge.id;
  const auto said = control_.say({"WORKER.VERIFY", challenge.tool, reply.dump(-1, ' ', false, json::error_handler_t::replace)});
  const bool taken = said.ok() && !said->is_error();
  log::info("answered a challenge", {{"tool", challenge.tool}, {"exit_code", std::int64_t{verdict.exit_code}}, {"taken", taken}});
  return taken;
}

void Agent::verify_forever() {
  while (const auto challenge = challenges_.pop()) static_cast<void>(answer(*challenge, leaving_));
}

Duration Agent::interval() {
  const std::lock_guard lock(mutex_);
  return options_.heartbeat.count() > 0 ? options_.heartbeat : interval_;
}

void Agent::ask_after_jobs() {
  std::map<std::string, std::string> due;
  {
    const Ticks quiet_since = clock_.elapsed() - interval() / 2;
    const std::lock_guard lock(mutex_);
    for (auto& [id, told] : progress_) {
      if (told.at > quiet_since) continue;
      due.emplace(id, told.update);
      told.at = clock_.elapsed();
    }
  }
  for (const auto& [id, update] : due)
    if (!tell(id, update)) slots_->cancel(id);
}

void Agent::beat_forever() {
  Meter meter(spool_.folder(), clock_);
  while (true) {
    Duration wait = kBeatRetry;
    if (registered()) {
      const auto uptime = std::chrono::duration_cast<Duration>(clock_.elapsed() - started_at_);
      const auto reply = control_.say(
          {"WORKER.HEARTBEAT", options_.identity.id, stats_json(meter.read(), counters_, slots_->active().size(), uptime)});
      if (reply.ok() && !reply->is_error())
        wait = interval();
      else if (reply.ok())
        beat_refused(reply->text);
      ask_after_jobs();
    }
    if (!beat_pause_.wait(wait)) return;
  }
}

bool Agent::registered() {
  const std::lock_guard lock(mutex_);
  return registered_;
}

void Agent::beat_refused(const std::string& error) {
  log::warn("a heartbeat was refused", {{"worker_id", options_.identity.id}, {"error", error}});
  if (read_refusal(error) != Refusal::unregistered) return;
  {
    const std::lock_guard lock(mutex_);
    registered_ = false;
  }
  puller_->register_again();
}

int Agent::run(const std::function<bool(Duration)>& stop_asked) {
  std::atomic<bool> pulling{true};
  std::thread pull([&] {
    puller_->run();
    pulling = false;
  });
  std::thread deliver([this] { deliverer_.run(); });
  std::thread beat([this] { beat_forever(); });
  std::thread verify([this] { verify_forever(); });

  bool asked = false;
  while (pulling && !asked) asked = stop_asked(kTick);
  if (asked) log::info("stopping", {{"active", static_cast<std::int64_t>(slots_->active().size())}});
  pull_pause_.stop();
  puller_->stop();
  const int code = wind_down(stop_asked, pulling);
  pull.join();
  leave();
  leaving_.cancel();
  challenges_.close();
  deliverer_.stop();
  deliver_pause_.stop();
  beat_pause_.stop();
  for (std::thread* thread : {&deliver, &beat, &verify}) thread->join();
  slots_->stop();
  const auto fatal = puller_->fatal();
  if (fatal) fmt::print(stderr, "muster: {}\n", fatal->text);
  return fatal ? fatal->exit_code : code;
}

int Agent::wind_down(const std::function<bool(Duration)>& stop_asked, const std::atomic<bool>& pulling) {
  const Ticks began = clock_.elapsed();
  std::optional<Ticks> idle_since;
  while (true) {
    if (!pulling && settled()) return kExitOk;
    const Ticks now = clock_.elapsed();
    if (pulling || !slots_->idle())
      idle_since.reset();
    else if (!idle_since)
      idle_since = now;
    if (idle_since && now - *idle_since >= kSettleGrace) {
      log::warn("results stay in the spool",
                {{"results", static_cast<std::int64_t>(deliverer_.waiting())}, {"spool", spool_.folder()}});
      return kExitOk;
    }
    const bool second = stop_asked(kTick);
    if (!second && clock_.elapsed() - began < options_.shutdown_timeout) continue;
    for (const std::string& id : slots_->active())
      log::warn(second ? "abandoned by a second signal" : "abandoned at the end of the time to stop",
                {{"job_id", id}, {"worker_id", options_.identity.id}});
    abandoned_ = true;
    puller_->abort();
    slots_->cancel_all();
    const Ticks killed = clock_.elapsed();
    while (!slots_->idle() && clock_.elapsed() - killed < kKillWait) static_cast<void>(stop_asked(kTick));
    return kExitFailure;
  }
}

void Agent::leave() {
  {
    const std::lock_guard lock(mutex_);
    if (!registered_) return;
    registered_ = false;
  }
  const auto reply = control_.say({"WORKER.UNREGISTER", options_.identity.id});
  if (!reply.ok())
    log::warn("left without saying so", {{"worker_id", options_.identity.id}, {"error", reply.error().detail}});
  else
    log::info("unregistered", {{"worker_id", options_.identity.id}});
}

}  // namespace muster::worker
