// Runs of keyspace commands of one connection: as few batches as their order allows, and pops that wait in between.
//
//   GET a, GET b      known from memory: answered at once, as long as nothing of the run is under way
//   SET …, LPUSH …    one batch
//   BRPOP …           by itself: what is behind it sees what it did
//   LLEN …            the next batch
#include <utility>
#include <vector>

#include "command/keys.h"
#include "fronts/resp/commands.h"
#include "fronts/resp/core.h"
#include "fronts/resp/keyspace/element_in_transit.h"
#include "fronts/resp/keyspace/request.h"
#include "fronts/resp/wire/writer.h"

namespace muster::resp {
namespace keyspace {
namespace {

using store::KeyAnswer;
using Answers = std::vector<KeyAnswer>;

struct Asked {
  CallRef call;
  Request request;
};

// Lives on the loop's thread, from the run's first command to its last answer.
class KeyRun : public std::enable_shared_from_this<KeyRun> {
 public:
  explicit KeyRun(CallGroupRef calls) : calls_(std::move(calls)) {}

  void go_on() {
    std::vector<Asked> batch;
    while (next_ < calls_->size()) {
      const CallRef& call = (*calls_)[next_];
      if (batch.empty() && call->client().answer_bytes >= kRunAnswerBytesMax) return postpone_rest();
      // Behind a pop whose client left nothing is wanted any more.
      if (waited_ && !call->client().open()) {
        call->answer(wire::null_reply(call->protocol()));
        ++next_;
        continue;
      }
      if (batch.empty() && glance(*call)) {
        ++next_;
        continue;
      }
      auto request = read_request(*call);
      if (!request.ok()) {
        call->fail(request.status().message());
        ++next_;
        continue;
      }
      if (request->wait) {
        if (!batch.empty()) break;
        ++next_;
        return wait(call, std::move(*request));
      }
      batch.push_back({call, std::move(*request)});
      ++next_;
    }
    if (!batch.empty()) run(std::move(batch));
  }

 private:
  static bool glance(Call& call) {
    if (call.name() != "GET") return false;
    const store::KeyGlance found = call.core().door.glance(call.client().caller, call.arg(1));
    if (!found.known) return false;
    call.answer(found.text ? wire::bulk_reply(*found.text) : wire::null_reply(call.protocol()));
    return true;
  }

  void run(std::vector<Asked> batch) {
    const CallRef first = batch.front().call;
    store::KeyBatch commands;
    commands.commands.reserve(batch.size());
    const command::Spec* as = nullptr;
    for (Asked& asked : batch) {
      commands.commands.push_back(std::move(asked.request.command));
      as = stricter(as, asked.call->entry().command);
    }
    run_batch(first, as, std::move(commands),
              [self = shared_from_this(), batch = std::move(batch)](Result<Answers> answers) mutable {
                for (std::size_t i = 0; i < batch.size(); ++i) {
                  Call& call = *batch[i].call;
                  if (!answers.ok())
                    call.fail(error_text(answers.status()));
                  else if (i < answers->size())
                    call.answer(reply_to(call, batch[i].request, std::move((*answers)[i])));
                  else
                    call.postpone();  // the batch ended where its answers were enough
                }
                if (answers.ok() && answers->size() < batch.size()) return self->postpone_rest();
                self->go_on();
              });
  }

  // The session begins the rest again when what is answered is on its way.
  void postpone_rest() {
    while (next_ < calls_->size()) (*calls_)[next_++]->postpone();
  }

  // Shared by the reply and the interruption: whichever comes first answers.
  struct Waiting {
    CallRef call;
    Request request;
  };

  void wait(const CallRef& call, Request request) {
    waited_ = true;
    Core& core = call->core();
    const Duration time = *request.wait;
    store::KeyCommand command = request.command;
    const auto waiting = std::make_shared<Waiting>(Waiting{call, std::move(request)});
    const command::KeyTicket ticket = core.door.run(
        call->client().caller, command::KeysAwaitRequest{.command = command, .wait = time},
        [weak = core.weak_from_this(), delivery = core.door.delivery(), self = shared_from_this(), waiting,
         command](Result<KeyAnswer> answer) mutable {
          if (!answer.ok()) {
            if (const auto alive = weak.lock())
              alive->post([self, waiting, status = answer.status()] { self->failed(*waiting, status); });
            return;
          }
          ElementInTransit element(delivery, std::move(command), std::move(*answer));
          if (const auto alive = weak.lock())
            alive->post([self, waiting, element = std::move(element)]() mutable { self->arrived(*waiting, std::move(element)); });
        });
    // The client no longer waits: a look that is under way is the last one. Without a client, what may be on its way goes back.
    call->on_interrupt([self = shared_from_this(), waiting, ticket](Call::Interrupt) {
      Call& left = *waiting->call;
      left.core().door.delivery().cancel(ticket);
      if (left.client().open()) return;
      left.answer(reply_to(left, waiting->request, KeyAnswer::none()));
      self->go_on();
    });
  }

  void failed(Waiting& waiting, const Status& status) {
    if (waiting.call->answered()) return;
    waiting.call->fail(error_text(status));
    go_on();
  }

  void arrived(Waiting& waiting, ElementInTransit element) {
    Call& call = *waiting.call;
    if (call.answered()) return;
    // A copy goes out, since the element may have to go back.
    std::string bytes = reply_to(call, waiting.request, element.answer());
    call.answer(std::move(bytes), [element = std::move(element)](bool taken) mutable {
      if (taken) element.delivered();
    });
    go_on();
  }

  const CallGroupRef calls_;
  std::size_t next_ = 0;
  bool waited_ = false;
};

}  // namespace
}  // namespace keyspace

void run_keys(const CallGroupRef& calls) { std::make_shared<keyspace::KeyRun>(calls)->go_on(); }

}  // namespace muster::resp
