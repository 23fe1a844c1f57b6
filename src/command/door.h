// The one door between the wires and the engine: who may do what, what is written down about it, how often it is done and how
// long it takes are decided here, once, for every wire.
//
//   1. The caller's role must reach the command. A request is not even read for one whose role does not.
//   2. The namespaces that the request names must be the caller's.
//   3. The command's handler runs. Its reply is counted, timed and, after an operator's intervention, written to the audit log;
//      so are refusals.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/reply.h"
#include "command/context.h"
#include "command/scope.h"
#include "command/spec.h"
#include "command/target.h"

namespace muster::command {

// What the audit log tells about an intervention besides its outcome.
struct AuditEntry {
  std::string who;      // the token's name
  std::string address;  // of the peer
  std::string target;   // what it is about
};

// What is counted of commands. Replies that are still on their way hold it. Any thread.
class Tally {
 public:
  explicit Tally(Metrics& metrics);
  ~Tally();
  static std::size_t place_of(const Spec& command);  // in the catalogue
  void add(std::size_t place, Code outcome, Ticks took);

 private:
  struct Row;
  Metrics& metrics_;
  std::unique_ptr<Row[]> rows_;  // by place
};

void write_audit(const Spec& command, const AuditEntry& entry, Code outcome);

class Door {
 public:
  // The engine and the metrics outlive every reply.
  Door(engine::Engine& engine, ServerFacts facts, Metrics& metrics);

  ServerFacts& facts() { return facts_; }  // on the thread that calls run()

  // Calls the command's handler, which its header declares. What that returns is returned; a refusal returns an empty one.
  template <class Request, class T>
  auto run(const Caller& caller, Request request, Reply<T> reply) {
    return run_read<Request>(
        caller, [&request] { return Result<Request>(std::move(request)); }, std::move(reply));
  }

  // For wires on which reading a request is work: `read` gives a Result<Request>.
  template <class Request, class Read, class T>
  auto run_read(const Caller& caller, Read read, Reply<T> reply) {
    constexpr const Spec* kCommand = kRecord<Request>;
    static_assert(kCommand != nullptr, "a request is some command's");
    Context context{.engine = engine_, .facts = facts_, .caller = caller};
    using Ticket = decltype(handle(context, std::declval<Request>(), std::declval<Reply<T>>()));

    Status refused = authorize(caller, *kCommand);
    AuditEntry entry;
    if constexpr (kCommand->audited) entry = {.who = caller.name, .address = caller.address, .target = {}};
    if (refused.ok()) {
      Result<Request> request = read();
      if constexpr (kCommand->audited)
        if (request.ok()) entry.target = target_of(*request);
      refused = request.ok() ? confine(caller, *request) : request.status();
      if (refused.ok()) return handle(context, *std::move(request), watched<Request>(std::move(entry), std::move(reply)));
    }
    watched<Request>(std::move(entry), std::move(reply))(std::move(refused));
    return Ticket();
  }

 private:
  template <class Request, class T>
  Reply<T> watched(AuditEntry entry, Reply<T> reply) const {
    static const std::size_t place = Tally::place_of(*kRecord<Request>);
    const Ticks began = engine_.clock().elapsed();
    auto count = [tally = tally_, &clock = engine_.clock(), began](Code outcome) {
      tally->add(place, outcome, clock.elapsed() - began);
    };
    if constexpr (kRecord<Request>->audited) {
      return [count, entry = std::move(entry), reply = std::move(reply)](Result<T> result) mutable {
        count(result.code());
        write_audit(*kRecord<Request>, entry, result.code());
        reply(std::move(result));
      };
    } else {
      return [count, reply = std::move(reply)](Result<T> result) mutable {
        count(result.code());
        reply(std::move(result));
      };
    }
  }

  engine::Engine& engine_;
  ServerFacts facts_;
  const std::shared_ptr<Tally> tally_;  // shared with replies that are on their way
};

}  // namespace muster::command
