// Commands that name a view: which way they go, and how those that stand alone are answered.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "command/keys.h"
#include "fronts/resp/admission.h"
#include "fronts/resp/commands.h"
#include "fronts/resp/keyspace/request.h"
#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/views/evaluate.h"
#include "fronts/resp/views/read.h"
#include "fronts/resp/views/writes.h"

namespace muster::resp {
namespace views {
namespace {

namespace key = store::key;

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_queue(Kind kind) { return kind == Kind::queue || kind == Kind::processing || kind == Kind::scheduled; }

bool is_outcome(Kind kind) { return kind == Kind::job_status || kind == Kind::job_stdout || kind == Kind::job_stderr; }

struct NamedView {
  std::string_view name;
  ViewKey key;
};

std::optional<NamedView> first_view(const Entry& entry, const Args& args) {
  std::optional<NamedView> found;
  for_each_key(entry, args, [&](const std::string& name) {
    if (found) return;
    if (auto key = parse_view_key(name)) found = NamedView{name, *std::move(key)};
  });
  return found;
}

// How an ordinary key is read for a command that also names views; those are few.
store::KeyCommand plain_read(const store::KeyCommand& command, const std::string& name) {
  if (std::holds_alternative<key::GetMany>(command)) return key::GetMany{{name}};
  if (std::holds_alternative<key::SetCombine>(command)) return key::SetMembers{name};
  return key::Exists{{name}};
}

// The same as a view.
Result<View> plain_view(store::KeyAnswer answer, const store::KeyCommand& command) {
  using Kind = store::KeyAnswer::Kind;
  if (answer.kind == Kind::refused) return Status::invalid_argument(answer.text);
  if (std::holds_alternative<key::GetMany>(command)) {
    store::KeyAnswer& text = answer.list.front();
    return text.kind == Kind::text ? text_view(std::move(text.text)) : absent({store::KeyType::text});
  }
  View view = absent({store::KeyType::set});
  view.exists = answer.kind == Kind::list ? !answer.list.empty() : answer.number > 0;
  for (store::KeyAnswer& member : answer.list) view.items.push_back(std::move(member.text));
  std::sort(view.items.begin(), view.items.end());
  view.count = view.items.size();
  return view;
}

// Reads the command's keys one after the other, then answers.
class Reading : public std::enable_shared_from_this<Reading> {
 public:
  Reading(CallRef call, keyspace::Request request, Want want)
      : call_(std::move(call)), request_(std::move(request)), want_(want) {
    for_each_key(call_->entry(), call_->args(), [this](const std::string& name) { names_.push_back(name); });
  }

  void step() {
    if (views_.size() == names_.size()) {
      store::KeyAnswer answer = evaluate(request_.command, views_, call_->core().now());
      return call_->answer(keyspace::reply_to(*call_, request_, std::move(answer)));
    }
    auto then = [self = shared_from_this()](Result<View> view) {
      if (!view.ok()) return self->fail(view.status());
      self->views_.push_back(*std::move(view));
      self->step();
    };
    const std::string& name = names_[views_.size()];
    if (const auto key = parse_view_key(name)) return read_view(call_, *key, want_, std::move(then));
    read_plain(name, std::move(then));
  }

 private:
  template <class Then>
  void read_plain(const std::string& name, Then then) {
    store::KeyBatch batch;
    batch.commands = {plain_read(request_.command, name)};
    ask(call_, command::KeysReadRequest{std::move(batch)},
        [self = shared_from_this(), then = std::move(then)](Result<command::KeysReply> answers) mutable {
          if (!answers.ok()) return then(answers.status());
          then(plain_view(std::move(answers->front()), self->request_.command));
        });
  }

  void fail(const Status& status) {
    if (status.message() == kWrongType)
      return call_->answer(keyspace::reply_to(*call_, request_, store::KeyAnswer::refuse(kWrongType)));
    plans::refuse(call_, status);
  }

  const CallRef call_;
  const keyspace::Request request_;
  const Want want_;
  std::vector<std::string> names_;
  std::vector<View> views_;
};

}  // namespace
}  // namespace views

bool is_view(std::string_view key) { return views::kind_of_view(key).has_value(); }

Flow keys_flow(const Entry& entry, const Args& args) {
  std::optional<views::Kind> first;
  for_each_key(entry, args, [&](const std::string& name) {
    if (!first) first = views::kind_of_view(name);
  });
  if (!first) return Flow::keys;
  const std::string_view name = entry.name;
  if (views::is_queue(*first)) {
    if (views::is_one_of(name, {"LPUSH", "RPUSH"})) return Flow::pushes;
    if (views::is_one_of(name, {"RPOP", "LPOP", "BRPOP", "BLPOP", "RPOPLPUSH", "BRPOPLPUSH", "LMOVE", "BLMOVE"}))
      return Flow::pops;
    if (name == "LREM" && *first == views::Kind::processing) return Flow::updates;
  }
  return name == "SET" && args.size() == 3 && views::is_outcome(*first) ? Flow::updates : Flow::alone;
}

void run_view(const CallRef& call) {
  const auto view = views::first_view(call->entry(), call->args());
  if (!view) return call->fail("no key of this command is a view");
  if (views::take_write(call, view->key)) return;
  Result<keyspace::Request> request = keyspace::read_request(*call);
  const auto want = request.ok() ? views::want_of(request->command) : std::nullopt;
  // A write is refused for what it writes to, whatever else may be wrong with it.
  if (!want && (request.ok() || call->entry().command->effect == command::Effect::write))
    return views::refuse_write(call, view->name, view->key.kind);
  if (!request.ok()) return call->fail(request.status().message());
  std::make_shared<views::Reading>(call, *std::move(request), *want)->step();
}

}  // namespace muster::resp
