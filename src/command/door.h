// The one door between the wires and the engine: who may do what, what is written down about it, how often it is done and how
// long it takes are decided here, once, for every wire.
//
//   1. The caller's role must reach the command. A request is not even read for one whose role does not.
//   2. The namespaces that the request names must be the caller's.
//   3. The command's handler runs. Its reply is counted, timed and, after an operator's intervention, written to the log and to
//   the
//      audit book; so are refusals.
//
// What is no command, because nobody asks for it: events() tells what happened, delivery() is told what became of an answer.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/reply.h"
#include "command/audit_entry.h"
#include "command/context.h"
#include "command/delivery.h"
#include "command/scope.h"
#include "command/single.h"
#include "command/spec.h"
#include "command/tally.h"
#include "command/target.h"

namespace muster::command {

// What happened, in a ring that readers can resume from.
using engine::Event;
using engine::Events;
using engine::ExtensionTold;
using engine::SubscriptionId;

// Commands whose handler takes many requests at once. One is a batch of one.
template <class Request>
concept TakenInBatches = requires(Context& context, std::vector<Request> requests, Reply<store::Each<AnswerTo<Request>>> reply) {
  handle(context, std::move(requests), std::move(reply));
};

// Any thread.
class Door {
 public:
  // The engine and the metrics outlive every reply.
  Door(engine::Engine& engine, ServerFacts facts, Metrics& metrics);

  // Calls the command's handler, which its header declares. What that returns is returned; a refusal returns an empty one.
  template <class Request>
  auto run(const Caller& caller, Request request, Reply<AnswerTo<Request>> reply) {
    Status refused = authorize(caller, Record<Request>::spec);
    if (!refused.ok()) return pass<Request>(caller, nullptr, std::move(refused), std::move(reply));
    return pass(caller, &request, confine(caller, request), std::move(reply));
  }

  // For wires on which reading a request is work: `read` gives a Result<Request>.
  template <class Request, class Read>
  auto run_read(const Caller& caller, Read read, Reply<AnswerTo<Request>> reply) {
    Status refused = authorize(caller, Record<Request>::spec);
    if (!refused.ok()) return pass<Request>(caller, nullptr, std::move(refused), std::move(reply));
    Result<Request> request = read();
    if (!request.ok()) return pass<Request>(caller, nullptr, request.status(), std::move(reply));
    return pass(caller, &*request, confine(caller, *request), std::move(reply));
  }

  // Many requests of one command, as a pipeline's neighbours are: one call of the engine, and each is answered by itself. They
  // are refused together.
  template <TakenInBatches Request>
  void run_all(const Caller& caller, std::vector<Request> requests, Reply<store::Each<AnswerTo<Request>>> reply) {
    constexpr const Spec& kCommand = Record<Request>::spec;
    Status refused = authorize(caller, kCommand);
    for (auto request = requests.begin(); request != requests.end() && refused.ok(); ++request)
      refused = confine(caller, *request);
    std::vector<Subject> subjects;
    if constexpr (kCommand.audited)
      for (const Request& request : requests) subjects.push_back(subject_of(request));
    auto watched = watched_all<Request>(caller, requests.size(), std::move(subjects), std::move(reply));
    if (!refused.ok()) return watched(std::move(refused));
    Context context = context_of(caller);
    handle(context, std::move(requests), std::move(watched));
  }

  // keys.read of one text, when memory knows it: answered at once, without a reply.
  store::KeyGlance glance(const Caller& caller, std::string_view key) const;

  // For wires that know the command before they read the request: its role's refusal, counted and written down as run() would.
  Status admit(const Caller& caller, const Spec& command) const;

  // For wires that do something by themselves which an auditor asks about, such as giving a task to a worker. Costs no wait.
  void note(const Caller& caller, Noted noted) const { write_note(engine_, caller, std::move(noted)); }

  Events& events() { return engine_.events(); }
  Delivery delivery() { return Delivery(engine_); }
  const Clock& clock() const { return engine_.clock(); }
  store::StoreHealth health() { return engine_.admin().health(); }
  const ServerFacts& facts() const { return facts_; }
  // A wire says where it listens, for those who ask the server about itself.
  Listeners& listeners() { return listeners_; }

 private:
  Context context_of(const Caller& caller) {
    return {.engine = engine_, .facts = facts_, .listeners = listeners_, .caller = caller};
  }

  // The last steps of every request. `request`: null when it was refused before it was read.
  template <class Request>
  auto pass(const Caller& caller, Request* request, Status refused, Reply<AnswerTo<Request>> reply) {
    Context context = context_of(caller);
    using Ticket = decltype(hand_over(context, std::move(*request), std::move(reply)));
    auto watched = this->watched<Request>(caller, request, std::move(reply));
    if (refused.ok()) return hand_over(context, std::move(*request), std::move(watched));
    watched(std::move(refused));
    return Ticket();
  }

  template <class Request>
  static auto hand_over(Context& context, Request&& request, Reply<AnswerTo<Request>> reply) {
    if constexpr (TakenInBatches<Request>)
      return handle(context, just(std::move(request)), unwrap(std::move(reply)));
    else
      return handle(context, std::move(request), std::move(reply));
  }

  template <class Request>
  Reply<AnswerTo<Request>> watched(const Caller& caller, const Request* request, Reply<AnswerTo<Request>> reply) const {
    using Answer = AnswerTo<Request>;
    const Stopwatch watch = begin<Request>();
    if constexpr (Record<Request>::spec.audited) {
      Subject about = request != nullptr ? subject_of(*request) : Subject();
      return [&engine = engine_, watch, entry = AuditEntry(caller, std::move(about)),
              reply = std::move(reply)](Result<Answer> result) mutable {
        watch.end(result.code());
        write_audit(engine, Record<Request>::spec, entry, result.code());
        reply(std::move(result));
      };
    } else {
      return [watch, reply = std::move(reply)](Result<Answer> result) mutable {
        watch.end(result.code());
        reply(std::move(result));
      };
    }
  }

  template <class Request>
  Reply<store::Each<AnswerTo<Request>>> watched_all(const Caller& caller, std::size_t count, std::vector<Subject> subjects,
                                                    Reply<store::Each<AnswerTo<Request>>> reply) const {
    using Answers = store::Each<AnswerTo<Request>>;
    const Stopwatch watch = begin<Request>();
    std::vector<AuditEntry> entries;
    for (Subject& about : subjects) entries.emplace_back(caller, std::move(about));
    return [&engine = engine_, watch, count, entries = std::move(entries),
            reply = std::move(reply)](Result<Answers> answers) mutable {
      for (std::size_t i = 0; i < entries.size(); ++i)
        write_audit(engine, Record<Request>::spec, entries[i], answers.ok() ? (*answers)[i].code() : answers.code());
      watch.end_all(count, answers);
      reply(std::move(answers));
    };
  }

  template <class Request>
  Stopwatch begin() const {
    static const std::size_t place = Tally::place_of(Record<Request>::spec);
    return {tally_, engine_.clock(), place};
  }

  engine::Engine& engine_;
  const ServerFacts facts_;
  Listeners listeners_;
  const std::shared_ptr<Tally> tally_;  // shared with replies that are on their way
};

}  // namespace muster::command
