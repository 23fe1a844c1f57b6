#include "fronts/ws/tasks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "command/resources.h"
#include "fronts/ws/artifacts.h"
#include "fronts/ws/core.h"
#include "fronts/ws/member_text.h"
#include "fronts/ws/task_feedback.h"
#include "fronts/ws/worker_session.h"
#include "session/codes.h"

namespace muster::ws {
namespace {

using session::Envelope;
using session::FrameKind;

constexpr Duration kRetryAfter{1'000};
constexpr Duration kKeyHeldDelay{1'000};            // until a task is tried again whose key another one holds
constexpr std::size_t kClaimMax = 64;               // jobs at a time
constexpr std::size_t kLostDispatchesMax = 10'000;  // jobs of which they are counted
constexpr std::size_t kPostponedMax = 1'024;        // frames about tasks that are perhaps about to be taken up

std::string client_of(const Labels& labels) {
  const auto found = labels.find(kClientLabel);
  return found == labels.end() ? std::string() : found->second;
}

bool may_pass(Code code) { return code == Code::unavailable || code == Code::outcome_unknown || code == Code::exhausted; }

std::pair<std::string, std::string> names_in(const json::Tree& payload) {
  return {text_of(payload, "run_id"), text_of(payload, "task_id")};
}

Grant grant_of(const Job& job) {
  Grant grant;
  grant.id = job.id;
  grant.ns = job.spec.ns;
  grant.queue = job.spec.queue;
  grant.type = job.spec.type;
  grant.payload = job.spec.payload;
  grant.labels = job.spec.labels;
  grant.attempt = job.attempt;
  grant.priority = job.spec.priority;
  grant.fence = job.fence;
  return grant;
}

}  // namespace

Tasks::Tasks(WorkerSession& worker)
    : worker_(worker),
      retry_(worker.core().deadlines,
             [this] {
               for (const auto& work : std::exchange(later_, {})) work();
             }),
      again_(worker.core().deadlines, [this] { repeat_those_in_question(); }) {}

Tasks::~Tasks() {
  *alive_ = false;
  stop_wanting();
}

void Tasks::later(std::function<void()> work) {
  later_.push_back(std::move(work));
  retry_.set(worker_.core().steady() + kRetryAfter);
}

// --- asking for work ---

void Tasks::want() {
  if (ticket_ || adopting_ || !worker_.accepting()) return;
  const std::size_t slots = worker_.registration().max_parallel;
  if (tasks_.size() >= slots) return;
  auto narrow = room_by_node();
  narrowed_ = narrow.has_value();
  const bool limited = !worker_.registration().per_node_limits.empty();
  const std::size_t limit = limited ? 1 : std::min(slots - tasks_.size(), kClaimMax);
  command::JobClaimRequest request{.claim = {.ns = NamespaceName(worker_.identity().tenant),
                                             .worker = WorkerId(worker_.identity().instance),
                                             .session = worker_.session(),
                                             .queues = {},
                                             .narrow = std::move(narrow),
                                             .limit = limit,
                                             .lease_ttl = std::nullopt},
                                   .wait = limits::kClaimWaitMax};
  const std::uint64_t claim = ++claim_;
  ticket_ = worker_.core().ask(worker_.caller(), std::move(request),
                               [this, alive = alive_, claim, &core = worker_.core()](Result<store::ClaimReply> reply) {
                                 if (*alive) return claimed(claim, std::move(reply));
                                 if (reply.ok()) core.door.delivery().hand_back(reply->grants);
                               });
}

void Tasks::stop_wanting() {
  if (!ticket_) return;
  worker_.core().door.delivery().cancel(*ticket_);
  ticket_.reset();
  ++claim_;
}

// What the worker offers without the node types that it may run no more of; nullopt: all of it.
std::optional<CapabilitySet> Tasks::room_by_node() const {
  std::optional<CapabilitySet> offered;
  for (const auto& [type, most] : worker_.registration().per_node_limits) {
    const auto running = running_by_node_.find(type);
    if (running == running_by_node_.end() || running->second < most) continue;
    if (!offered) offered = worker_.spec().capabilities;
    offered = offered->without(node_capability(type));
  }
  return offered;
}

void Tasks::claimed(std::uint64_t claim, Result<store::ClaimReply> reply) {
  Core& core = worker_.core();
  if (claim != claim_) {
    if (reply.ok()) core.door.delivery().hand_back(reply->grants);
    return;
  }
  ticket_.reset();
  if (!reply.ok()) {
    if (reply.code() == Code::lease_lost || reply.code() == Code::not_found) return worker_.session_gone();
    return later([this] { want(); });
  }
  if (!worker_.accepting()) return core.door.delivery().hand_back(reply->grants);
  for (const Grant& grant : reply->grants)
    if (const Place place = take_up(grant); place != tasks_.end()) send(place);
  want();
}

Tasks::Place Tasks::take_up(const Grant& grant) {
  auto document = task_document(grant, worker_.registration(), worker_.identity().protocol);
  if (!document.ok()) {
    const store::Failure failure{.lease = {grant.id, grant.fence},
                                 .error = {std::string(session::kDispatchInvalidMetadata.code), document.status().message()},
                                 .retryable = false};
    worker_.core().ask(worker_.caller(), failure, [](const Result<store::Settled>&) {});
    note({.lease = failure.lease}, session::kDispatchInvalidMetadata.code);
    return tasks_.end();
  }
  const Key key{document->run_id, document->task_id};
  if (const auto before = tasks_.find(key); before != tasks_.end()) forget(key, before->second.lease);
  ++running_by_node_[document->node_type];
  remember_place(*document);
  Task task{.lease = {grant.id, grant.fence},
            .node_id = std::move(document->node_id),
            .node_type = std::move(document->node_type),
            .dispatch_id = {},
            // By job: what a middleware asks for again is another task under the same name, and no repeat of the first.
            .seq = worker_.core().run_numbers.number(key.first, grant.id.text()),
            .concurrency_key = std::move(document->concurrency_key),
            .payload = std::move(document->payload),
            .next = std::move(document->next),
            .queue = grant.queue,
            .priority = grant.priority,
            .client = client_of(grant.labels),
            .sent_at = worker_.core().steady()};
  return tasks_.insert_or_assign(key, std::move(task)).first;
}

// Later tasks of the key are to come here; without it they go anywhere.
void Tasks::remember_place(const TaskDocument& document) {
  if (document.affinity_key.empty() || document.affinity_key.size() > limits::kKeyBytesMax) return;
  const command::AffinityPlace place{.ns = NamespaceName(worker_.identity().tenant),
                                     .key = document.affinity_key,
                                     .worker = WorkerId(worker_.identity().instance),
                                     .until = document.affinity_until};
  worker_.core().ask(worker_.caller(), command::remember_place(place, worker_.core().now()),
                     [](const Result<command::KeysReply>&) {});
}

void Tasks::send(Place place) {
  const Status sent = transmit(place);
  if (sent.ok()) return;
  if (sent.code() != Code::invalid_argument) return give_back(place, sent.message());
  give_up(place, sent.message());
}

Status Tasks::transmit(Place place) {
  Core& core = worker_.core();
  const auto& [key, constant] = *place;
  Task& task = place->second;
  std::string id = core.next_id();
  Status sent = worker_.channel().send({.kind = FrameKind::dispatch,
                                        .id = id,
                                        .corr = key.second,
                                        .seq = task.seq,
                                        .ack_request = true,
                                        .ack_within = core.options.limits.dispatch_ack,
                                        .payload = task.payload});
  // The worker may still answer the dispatch before.
  if (!sent.ok() && !task.dispatch_id.empty()) return sent;
  unacknowledged_.erase(std::exchange(task.dispatch_id, std::move(id)));
  if (!sent.ok()) return sent;
  note(task, to_string(Code::ok));
  core.meter.dispatched(worker_.identity().tenant, task.node_type);
  unacknowledged_.insert_or_assign(task.dispatch_id, key);
  tell_dispatched(place);
  return sent;
}

void Tasks::tell_dispatched(Place place) {
  const auto& [key, task] = *place;
  worker_.core().feed.dispatched({.task = name_of(key),
                                  .job = task.lease.job,
                                  .node_id = task.node_id,
                                  .worker = worker_.identity().name,
                                  .dispatch_id = task.dispatch_id,
                                  .client = task.client,
                                  .seq = task.seq});
}

void Tasks::forget(const Key& key, const LeaseRef& lease) {
  const Place place = tasks_.find(key);
  if (place == tasks_.end() || place->second.lease != lease) return;
  if (const auto running = running_by_node_.find(place->second.node_type);
      running != running_by_node_.end() && --running->second == 0)
    running_by_node_.erase(running);
  if (worker_.identity().protocol == session::Protocol::v1) worker_.core().result_numbers.over(key.first, place->second.seq);
  worker_.nexts().asker_over(lease);
  unacknowledged_.erase(place->second.dispatch_id);
  tasks_.erase(place);
  if (narrowed_) stop_wanting();  // what it left out may have room now
  if (tasks_.empty()) worker_.idle();
  want_soon();
}

// Outcomes come in rounds: one claim asks for all the slots that a round frees.
void Tasks::want_soon() {
  if (std::exchange(wants_soon_, true)) return;
  worker_.core().post([this, alive = alive_] {
    if (!*alive) return;
    wants_soon_ = false;
    want();
  });
}

// --- starting over ---

void Tasks::adopt(Duration after) {
  adopting_ = true;
  adopt_page(++adoption_, after, {});
}

void Tasks::adopt_page(std::uint64_t adoption, Duration after, std::string cursor) {
  command::JobListRequest query;
  query.filter.ns = NamespaceName(worker_.identity().tenant);
  query.filter.worker = WorkerId(worker_.identity().instance);
  query.filter.states = {JobState::running};
  query.limit = limits::kPageMax;
  query.cursor = cursor;
  query.with_payload = true;
  worker_.core().ask(worker_.caller(), std::move(query),
                     [this, alive = alive_, adoption, after, cursor](const Result<store::JobPage>& page) {
                       if (!*alive || adoption != adoption_) return;
                       if (!page.ok())
                         return later([this, adoption, after, cursor] {
                           if (adoption == adoption_) adopt_page(adoption, after, cursor);
                         });
                       for (const Job& job : page->jobs)
                         if (find(LeaseRef{job.id, job.fence}) == tasks_.end())
                           if (const Place place = take_up(grant_of(job)); place != tasks_.end()) tell_dispatched(place);
                       page->next.empty() ? adopted(after) : adopt_page(adoption, after, page->next);
                     });
}

void Tasks::adopted(Duration after) {
  adopting_ = false;
  for (auto& [key, task] : tasks_) {
    task.heard = false;
    task.in_question = true;
  }
  for (auto& [frame, arrived] : std::exchange(postponed_, {})) worker_.deliver(std::move(frame), arrived);
  if (after == Duration::zero())
    repeat_those_in_question();
  else
    again_.set(worker_.core().steady() + after);
  want();
}

void Tasks::send_again() {
  for (auto& [key, task] : tasks_) task.in_question = true;
  repeat_those_in_question();
}

void Tasks::repeat_those_in_question() {
  std::vector<Key> keys;
  for (const auto& [key, task] : tasks_)
    if (task.in_question && !task.settling && !task.heard) keys.push_back(key);
  for (const Key& key : keys) {
    const Place place = tasks_.find(key);
    if (place == tasks_.end()) continue;
    const Status sent = transmit(place);
    if (sent.code() == Code::invalid_argument) {
      give_up(place, sent.message());
      continue;
    }
    // It may well be running: no room for a repeat is no reason to take it away.
    if (!sent.ok()) return again_.set(worker_.core().steady() + kRetryAfter);
    place->second.in_question = false;
    worker_.core().meter.retried("session");
  }
}

bool Tasks::postponed(const Envelope& frame, Arrived arrived) {
  if (!adopting_ || postponed_.size() >= kPostponedMax) return false;
  postponed_.emplace_back(frame, arrived);
  return true;
}

// --- what the worker says ---

Tasks::Place Tasks::find(const Envelope& frame, const Key& named) {
  if (const Place found = tasks_.find(named); found != tasks_.end()) return found;
  if (!frame.corr) return tasks_.end();
  return std::find_if(tasks_.begin(), tasks_.end(), [&](const auto& task) {
    return task.second.dispatch_id == *frame.corr || task.first.second == *frame.corr;
  });
}

Tasks::Place Tasks::find(const LeaseRef& lease) {
  return std::find_if(tasks_.begin(), tasks_.end(), [&](const auto& task) { return task.second.lease == lease; });
}

template <class Request>
void Tasks::settle(Place place, std::optional<Arrived> arrived, Request request) {
  place->second.settling = true;
  const Key key = place->first;
  const LeaseRef lease = place->second.lease;
  worker_.core().ask(worker_.caller(), request, [this, alive = alive_, key, lease, arrived, request](const auto& settled) {
    if (!*alive) return;
    if (may_pass(settled.code()))
      return later([this, key, lease, arrived, request] {
        const Place still = tasks_.find(key);
        if (still != tasks_.end() && still->second.lease == lease) return settle(still, arrived, request);
        if (arrived) worker_.channel().done(*arrived);
      });
    // What the worker said cannot be kept: too long a result, a code that is no name. The job must not stay with nobody.
    const Place kept = tasks_.find(key);
    if (settled.code() == Code::invalid_argument && kept != tasks_.end() && kept->second.lease == lease && !kept->second.unkept) {
      kept->second.unkept = true;
      JobError error{std::string(session::kInternal.code), cut_text(settled.status().message(), limits::kErrorBytesMax)};
      return settle(kept, arrived, store::Failure{.lease = lease, .error = std::move(error), .retryable = false});
    }
    if (!settled.ok())
      log::warn("an outcome was refused", {{"tenant", worker_.identity().tenant},
                                           {"sender.id", worker_.identity().instance},
                                           {"session_id", worker_.session_id()},
                                           {"corr", kept != tasks_.end() ? kept->second.dispatch_id : std::string()},
                                           {"job_id", lease.job.text()},
                                           {"code", std::string(to_string(settled.code()))}});
    if (arrived) worker_.channel().done(*arrived);
    forget(key, lease);
  });
}

void Tasks::result(const Envelope& frame, Arrived arrived) {
  ResultSaid said = read_result(frame.payload);
  const Key named{std::move(said.run), std::move(said.task)};
  const Place place = find(frame, named);
  if (place == tasks_.end()) {
    if (postponed(frame, arrived)) return;
    note_repetition(frame, named);
    return worker_.channel().done(arrived);  // cancelled, taken away, or said before
  }
  Task& task = place->second;
  if (task.settling) return worker_.channel().done(arrived);
  if (!takes_number(place, frame, arrived)) return;
  // Blanks between values cost no worker its result.
  if (said.content.size() > limits::kResultBytesMax)
    if (const json::Tree* result = json::member(frame.payload.tree(), "result")) said.content = json::dump(*result);
  worker_.core().meter.result(worker_.identity().tenant, task.node_type, worker_.core().steady() - task.sent_at);
  auto facts = said.facts ? outcome_facts(frame.payload.tree()) : std::nullopt;
  produced({.tenant = worker_.identity().tenant,
            .worker = worker_.identity().name,
            .run = place->first.first,
            .task = place->first.second,
            .artifacts = said.artifacts ? json::array(frame.payload.tree(), "artifacts") : nullptr},
           said.status, said.content);
  if (said.status == "FAILED") {
    const json::Tree* told = json::member(frame.payload.tree(), "error");
    std::string code = told != nullptr ? text_of(*told, "code") : std::string(session::kRunnerFailure.code);
    std::string message = told != nullptr ? text_of(*told, "message") : "the task failed";
    return conclude(place, arrived, std::move(facts), [=, this](Place still) { fail(still, arrived, {code, message}, true); });
  }
  if (said.status == "CANCELLED")
    return conclude(place, arrived, std::move(facts), [this, arrived](Place still) { cancel(still, arrived); });
  std::vector<Resource> artifacts;
  if (said.artifacts) artifacts = artifacts_of(worker_.identity(), frame.payload.tree(), task.lease.job);
  conclude(place, arrived, std::move(facts),
           [this, arrived, content = std::move(said.content), artifacts = std::move(artifacts)](Place still) mutable {
             store::Completion completion{still->second.lease, Content{std::move(content), Encoding::json}};
             artifacts.empty() ? settle(still, arrived, std::move(completion))
                               : learn(still, arrived, std::move(artifacts), std::move(completion));
           });
}

void Tasks::cancel(Place place, Arrived arrived) {
  place->second.settling = true;
  const store::Cancel cancel{.job = place->second.lease.job, .reason = "the worker cancelled it", .at_once = true};
  worker_.core().ask(command::itself(), command::JobCancelRequest{cancel},
                     [this, alive = alive_, key = place->first, lease = place->second.lease, arrived](const auto&) {
                       if (!*alive) return;
                       worker_.channel().done(arrived);
                       forget(key, lease);
                     });
}

feed::TaskName Tasks::name_of(const Key& key) const { return {worker_.identity().tenant, key.first, key.second}; }

void Tasks::produced(const Produced& made, std::string_view status, std::string_view content) {
  worker_.core().feed.result({made.tenant, made.run, made.task}, status, content, made.artifacts);
}

void Tasks::conclude(Place place, Arrived arrived, std::optional<OutcomeFacts> facts, UniqueFunction<void(Place)> outcome) {
  Task& task = place->second;
  const Key key = place->first;
  const LeaseRef lease = task.lease;
  if (facts || task.unwritten > 0) {
    auto report = std::make_shared<command::JobFeedbackRequest>();
    report->lease = lease;
    report->outcome = std::move(facts);
    report->at_once = true;
    // Behind other reports it takes its turn, and is waited for as they are; by itself it is written beside the outcome.
    if (task.unwritten == 0)
      report->in_namespace = NamespaceName(worker_.identity().tenant);
    else
      ++task.unwritten;
    worker_.channel().hold(arrived);
    keep(key, lease, arrived, std::move(report));
  }
  if (task.unwritten == 0) return outcome(place);
  task.settling = true;
  task.when_written = [this, key, lease, outcome = std::move(outcome)]() mutable {
    const Place still = tasks_.find(key);
    if (still != tasks_.end() && still->second.lease == lease) outcome(still);
  };
}

// Whoever sees the job completed may refer to what it left behind: that is known before.
void Tasks::learn(Place place, Arrived arrived, std::vector<Resource> artifacts, store::Completion completion) {
  place->second.settling = true;
  worker_.core().ask_all(
      worker_.caller(), artifacts,
      [this, alive = alive_, arrived, artifacts, completion](const Result<store::Each<Resource>>& known) mutable {
        if (!*alive) return;
        const Place still = find(completion.lease);
        if (still == tasks_.end()) return worker_.channel().done(arrived);
        if (may_pass(known.code()))
          return later([this, arrived, artifacts = std::move(artifacts), completion = std::move(completion)] {
            const Place there = find(completion.lease);
            if (there == tasks_.end()) return worker_.channel().done(arrived);
            learn(there, arrived, artifacts, completion);
          });
        for (std::size_t i = 0; i < artifacts.size(); ++i) {
          const Status why = known.ok() ? (*known)[i].status() : known.status();
          if (why.ok()) continue;
          worker_.core().meter.refused("artifact");
          log::warn("an artifact was not taken", {{"tenant", worker_.identity().tenant},
                                                  {"worker_id", worker_.identity().instance},
                                                  {"job_id", completion.lease.job.text()},
                                                  {"reason", why.message()}});
          break;  // one line says enough
        }
        settle(still, arrived, std::move(completion));
      });
}

// Protocol 1 numbers its results. False: the frame is dealt with.
bool Tasks::takes_number(Place place, const Envelope& frame, Arrived arrived) {
  if (worker_.identity().protocol != session::Protocol::v1 || !frame.seq) return true;
  Core& core = worker_.core();
  const auto& [run, task] = place->first;
  const bool names_dispatch = frame.corr && *frame.corr != task;
  const ResultNumbers::Numbered numbered{
      .run = run,
      .task = task,
      .seq = *frame.seq,
      .dispatch = names_dispatch ? std::optional<std::string_view>(*frame.corr) : std::nullopt};
  const std::uint64_t missing = core.result_numbers.missing(run);
  json::Tree details{{"run_id", run}, {"task_id", task}, {"seq", *frame.seq}, {"missing", missing}};
  switch (core.result_numbers.record(numbered, core.steady(), core.options.strict_results)) {
    case ResultNumbers::Verdict::taken: return true;
    case ResultNumbers::Verdict::taken_after_gap:
      core.meter.result_number("gap");
      log::warn("a result came before an earlier one", {{"tenant", worker_.identity().tenant},
                                                        {"sender.id", worker_.identity().instance},
                                                        {"id", frame.id},
                                                        {"code", std::string(session::kResultSeqGap.code)},
                                                        {"seq", std::to_string(*frame.seq)}});
      return true;
    case ResultNumbers::Verdict::duplicate:
      core.meter.result_number("duplicate");
      if (core.options.strict_results) say_error(session::kResultDuplicate, frame, std::move(details));
      worker_.channel().done(arrived);
      return false;
    case ResultNumbers::Verdict::refused:
      core.meter.result_number("refused");
      say_error(session::kResultSeqGap, frame, std::move(details));
      worker_.channel().refuse(frame, arrived);
      return false;
  }
  return true;
}

// A result of a task that is over.
void Tasks::note_repetition(const Envelope& frame, const Key& named) {
  if (worker_.identity().protocol != session::Protocol::v1 || !frame.seq || !frame.corr) return;
  Core& core = worker_.core();
  const auto& [run, task] = named;
  if (*frame.corr == task) return;
  if (!core.result_numbers.repeats({.run = run, .task = task, .seq = *frame.seq, .dispatch = *frame.corr}, core.steady())) return;
  core.meter.result_number("duplicate");
  if (core.options.strict_results)
    say_error(session::kResultDuplicate, frame, {{"run_id", run}, {"task_id", task}, {"seq", *frame.seq}});
}

void Tasks::say_error(const session::ErrorCode& code, const Envelope& frame, json::Tree details) {
  const json::Tree payload{{"code", code.code},
                           {"message", code.reason},
                           {"context", {{"where", "scheduler.results"}, {"details", std::move(details)}}}};
  const std::string text = json::dump(payload);
  const std::string id = worker_.core().next_id();
  // A worker that is gone by now learns it when it says so again.
  static_cast<void>(worker_.channel().send({.kind = FrameKind::error, .id = id, .corr = frame.id, .payload = text}));
}

void Tasks::fail(Place place, Arrived arrived, JobError error, bool retryable) {
  error.kind = cut_text(std::move(error.kind), limits::kNameBytesMax);
  error.message = cut_text(std::move(error.message), limits::kErrorBytesMax);
  worker_.core().feed.failed(name_of(place->first), {error.kind, error.message});
  settle(place, arrived, store::Failure{.lease = place->second.lease, .error = std::move(error), .retryable = retryable});
}

void Tasks::error(const Envelope& frame, Arrived arrived) {
  const json::Tree* context = json::member(frame.payload.tree(), "context");
  const json::Tree* details = context != nullptr ? json::member(*context, "details") : nullptr;
  const Place place = find(frame, details != nullptr ? names_in(*details) : Key());
  if (place == tasks_.end()) {
    if (postponed(frame, arrived)) return;
    return worker_.channel().done(arrived);
  }
  const std::string code = text_of(frame.payload.tree(), "code");
  Task& task = place->second;
  if (!task.settling && code == session::kCommandConcurrencyViolation.code && holds_key_elsewhere(place)) {
    worker_.core().meter.retried("concurrency");
    return settle(place, arrived, store::Snooze{task.lease, kKeyHeldDelay});
  }
  if (task.settling || code == session::kCommandConcurrencyViolation.code) {
    task.heard = true;  // it runs: this was the second time we sent it
    return worker_.channel().done(arrived);
  }
  if (code == session::kRunnerCancelled.code) {
    worker_.core().meter.retried("cancelled");
    return conclude(place, arrived, std::nullopt, [this, arrived](Place still) {
      settle(still, arrived, store::Release{still->second.lease, "the worker stops"});
    });
  }
  conclude(place, arrived, std::nullopt, [this, arrived, code, message = text_of(frame.payload.tree(), "message")](Place still) {
    fail(still, arrived, {code, message}, code != session::kResourceMissing.code);
  });
}

// Another task of the worker has the same key: then this one does not run, whatever was sent before.
bool Tasks::holds_key_elsewhere(Place place) const {
  return std::any_of(tasks_.begin(), tasks_.end(), [&](const auto& other) {
    return other.first != place->first && other.second.concurrency_key == place->second.concurrency_key;
  });
}

void Tasks::feedback(const Envelope& frame, Arrived arrived) {
  const Place place = find(frame, names_in(frame.payload.tree()));
  if (place == tasks_.end()) {
    if (read_feedback(frame.payload.tree()).lasting() && postponed(frame, arrived)) return;
    return worker_.channel().done(arrived);
  }
  Task& task = place->second;
  task.heard = true;
  if (task.settling) return worker_.channel().done(arrived);
  FeedbackSaid said = read_feedback(frame.payload.tree());
  const bool lasting = said.lasting();
  auto report = std::make_shared<command::JobFeedbackRequest>(std::move(said.report));
  worker_.core().feed.told(name_of(place->first), {.stage = report->stage,
                                                   .progress = report->fraction,
                                                   .message = report->message.value_or(""),
                                                   .chunks = &report->chunks,
                                                   .results = report->results});
  report->lease = task.lease;
  // A worker that did not hear our ack says it again, perhaps to another process.
  if (lasting && frame.session_seq) report->place = command::FeedbackPlace{worker_.session_id(), *frame.session_seq};
  if (!lasting) worker_.channel().done(arrived);  // progress is worth no wait
  if (lasting) ++task.unwritten;
  keep(place->first, task.lease, lasting ? std::optional(arrived) : std::nullopt, std::move(report));
}

void Tasks::keep(const Key& key, const LeaseRef& lease, std::optional<Arrived> arrived,
                 std::shared_ptr<const command::JobFeedbackRequest> report) {
  command::JobFeedbackRequest request = *report;
  worker_.core().ask(worker_.caller(), std::move(request),
                     [this, alive = alive_, key, lease, arrived, report](const Result<store::Renewed>& answer) {
                       if (!*alive) return;
                       if (arrived && may_pass(answer.code()))
                         return later([this, key, lease, arrived, report] { keep(key, lease, arrived, report); });
                       kept(key, lease, arrived, report->in_namespace.empty(), answer);
                     });
}

// `awaited`: an outcome may wait for it.
void Tasks::kept(const Key& key, const LeaseRef& lease, std::optional<Arrived> arrived, bool awaited,
                 const Result<store::Renewed>& answer) {
  if (!answer.ok() && answer.code() != Code::lease_lost)
    log::warn("feedback was refused", {{"tenant", worker_.identity().tenant},
                                       {"worker_id", worker_.identity().instance},
                                       {"job_id", lease.job.text()},
                                       {"code", std::string(to_string(answer.code()))},
                                       {"detail", answer.status().message()}});
  if (arrived) worker_.channel().done(*arrived);
  const Place place = tasks_.find(key);
  if (place == tasks_.end() || place->second.lease != lease) return;
  Task& task = place->second;
  if (awaited && arrived && --task.unwritten == 0 && task.when_written) return std::exchange(task.when_written, {})();
  if (answer.ok() && answer->cancel_requested) return cancelled({lease});
  if (answer.code() == Code::lease_lost) lost({lease});
}

void Tasks::acknowledged(const std::string& frame_id) {
  const auto found = unacknowledged_.find(frame_id);
  if (found == unacknowledged_.end()) return;
  worker_.core().feed.acknowledged(name_of(found->second));
  unacknowledged_.erase(found);
}

// The task that asks is named by its run and its own node.
void Tasks::next_request(const Envelope& frame, Arrived arrived) {
  const std::string run = text_of(frame.payload.tree(), "runId");
  const std::string node = text_of(frame.payload.tree(), "middlewareId");
  const Place place = std::find_if(tasks_.begin(), tasks_.end(), [&](const auto& task) {
    return task.first.first == run && (task.second.node_id == node || task.first.second == node);
  });
  if (place == tasks_.end() && postponed(frame, arrived)) return;
  worker_.channel().done(arrived);
  if (place == tasks_.end() || place->second.settling) return worker_.nexts().asked(frame, nullptr);
  Task& task = place->second;
  task.heard = true;
  const NextAsker asker{task.lease, task.queue, task.priority, task.next};
  worker_.nexts().asked(frame, &asker);
}

// --- what becomes of tasks without the worker ---

void Tasks::give_back(Place place, std::string why) {
  settle(place, std::nullopt, store::Release{place->second.lease, std::move(why)});
}

void Tasks::unacknowledged(const std::string& dispatch_id) {
  const Place place =
      std::find_if(tasks_.begin(), tasks_.end(), [&](const auto& task) { return task.second.dispatch_id == dispatch_id; });
  if (place == tasks_.end() || place->second.settling || place->second.heard) return;
  worker_.core().meter.retried("ack_timeout");
  auto& lost = worker_.core().lost_dispatches;
  if (lost.size() >= kLostDispatchesMax) lost.clear();
  const std::uint32_t times = ++lost[place->second.lease.job];
  if (times < worker_.core().options.limits.dispatch_attempts_max) return give_back(place, "the worker did not acknowledge it");
  lost.erase(place->second.lease.job);
  give_up(place, fmt::format("{} dispatches were not acknowledged", times));
}

void Tasks::give_up(Place place, std::string why) {
  note(place->second, session::kDispatchUnavailable.code);
  settle(place, std::nullopt,
         store::Failure{.lease = place->second.lease,
                        .error = {std::string(session::kDispatchUnavailable.code), std::move(why)},
                        .retryable = false});
}

// For auditors: who was given what, under which dispatch.
void Tasks::note(const Task& task, std::string_view outcome) {
  worker_.core().door.note(worker_.caller(), {.action = "job.dispatch",
                                              .ns = NamespaceName(worker_.identity().tenant),
                                              .worker = WorkerId(worker_.identity().instance),
                                              .target = task.lease.job.text(),
                                              .correlation = task.dispatch_id,
                                              .outcome = outcome});
}

void Tasks::cancelled(const std::vector<LeaseRef>& leases) {
  for (const LeaseRef& lease : leases)
    if (const Place place = find(lease); place != tasks_.end() && !place->second.settling) give_back(place, "cancelled");
}

void Tasks::lost(const std::vector<LeaseRef>& leases) {
  for (const LeaseRef& lease : leases)
    if (const Place place = find(lease); place != tasks_.end() && !place->second.settling) forget(Key(place->first), lease);
}

std::vector<LeaseRef> Tasks::held() const {
  std::vector<LeaseRef> out;
  for (const auto& [key, task] : tasks_) out.push_back(task.lease);
  return out;
}

}  // namespace muster::ws
