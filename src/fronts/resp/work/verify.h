// Tools that workers are asked to prove: WORKER.VERIFY.
//
//   operator  WORKER.VERIFY <worker> <tool> [<json>]   or WORKER.VERIFY <tool> <json>: some worker that offers it
//   ─► worker, by RESP3: a push  worker.verify <tool> {"args":[…],"command":…,"id":…,"tool":…}
//      otherwise a job of type `verify` that only this worker may take, shown by its own pop as
//      {"job_id":…,"verify":{"args":[…],"command":…,"id":…,"tool":…}}
//   worker    WORKER.VERIFY <tool> {"id":…,"output":…,"exit_code":…}   ◄─ +OK output="…"
//   ─► operator: +OK output="…", or what went wrong; kAnswerWithin after the question at the latest
//
// Verdicts are kept for the worker's session (verified_key). Workers that came in by PING are never asked: they would take the
// question for work. Lives on the loop's thread, as part of the work state.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/uuid.h"
#include "fronts/resp/call.h"
#include "model/job.h"
#include "model/worker.h"

namespace muster::resp {
struct Core;
}

namespace muster::resp::work {

// What is to be run.
struct Question {
  std::string id;
  std::string tool;
  std::string command;
  std::vector<std::string> args;
};

struct Verdict {
  std::string id;
  std::string output;
  std::int64_t exit_code = 0;
  bool verified() const { return exit_code == 0; }
};

class Verifications {
 public:
  static constexpr Duration kAnswerWithin{30'000};
  static constexpr std::size_t kPendingMax = 1'000;  // asked and not answered; one more is refused
  static constexpr std::size_t kQuestionBytesMax = 16 * 1024;
  static constexpr std::size_t kOutputShownMax = 1'000;

  explicit Verifications(Core& core);

  void ask(const CallRef& call, const WorkerId& worker, Question question);
  // Some worker that offers the tool.
  void ask_any(const CallRef& call, Question question);
  void answer(const CallRef& call, const std::string& tool, Verdict verdict);

  // A job of the type of questions is handed to this client: the element it is shown as. nullopt: it asks nothing, because
  // somebody else made it.
  std::optional<std::string> question(const std::shared_ptr<Client>& client, const Grant& grant);

  void closed(const Client& client);
  void tick(Instant now);
  std::size_t pending() const { return pending_.size(); }

 private:
  struct Pending {
    CallRef call;  // the operator's
    WorkerId worker;
    SessionId session{};
    std::string tool;
    Instant until{};
  };
  // A question that reached its worker through this node.
  struct Carried {
    WorkerId worker;
    std::string tool;
    ClientId client{};
    std::optional<LeaseRef> lease;
    Instant until{};
  };

  void ask_registered(const CallRef& call, const Worker& worker, Question question);
  void carry(const Worker& worker, const Question& question);
  void enqueue(const Worker& worker, const Question& question);
  void keep(const WorkerId& worker, const std::string& tool, Verdict verdict);
  void decide(const std::string& id, const Verdict& verdict);
  void fail(const std::string& id, std::string_view text);
  void look(const std::string& id, const Pending& pending);

  Core& core_;
  UuidSource ids_;
  std::map<std::string, Pending> pending_;  // by the question's id
  std::map<std::string, Carried> carried_;
};

// In store::KeySpace::internal: a hash of tools and verdicts.
std::string verified_key(const WorkerId& worker, SessionId session);
// What a kept verdict says.
bool says_verified(std::string_view verdict);

}  // namespace muster::resp::work
