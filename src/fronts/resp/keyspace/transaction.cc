#include "fronts/resp/keyspace/transaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/check.h"
#include "command/keys.h"
#include "fronts/resp/admission.h"
#include "fronts/resp/core.h"
#include "fronts/resp/keyspace/request.h"
#include "fronts/resp/keyspace/words.h"
#include "fronts/resp/wire/writer.h"

namespace muster::resp {
namespace {

constexpr std::array<std::string_view, 6> kAboutTransaction{"MULTI", "EXEC", "DISCARD", "WATCH", "RESET", "QUIT"};
// They need nothing but this process, and answer at once.
constexpr std::array<std::string_view, 4> kQuickParts{"ECHO", "TIME", "PUBLISH", "UNWATCH"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view view_in(const Entry& entry, const Args& args) {
  std::string_view found;
  for_each_key(entry, args, [&](const std::string& key) {
    if (found.empty() && is_view(key)) found = key;
  });
  return found;
}

bool is_quick(const Entry& entry, const Args& args) {
  return contains(kQuickParts, entry.name) || (entry.name == "PING" && args.size() == 1);
}

}  // namespace

bool is_about_transaction(const Entry& entry) { return contains(kAboutTransaction, entry.name); }

std::string objection_to_part(const Entry& entry, const Args& args) {
  if (is_quick(entry, args)) return {};
  if (entry.flow != Flow::keys)
    return fmt::format("'{}' cannot be part of a transaction; only commands about plain keys can", entry.name);
  if (const std::string_view view = view_in(entry, args); !view.empty())
    return fmt::format("'{}' is a view and cannot be part of a transaction; only plain keys can",
                       view.substr(0, kShownNameBytesMax));
  return {};
}

namespace keyspace {
namespace {

using Answers = std::vector<store::KeyAnswer>;

constexpr std::string_view kAborted = "EXECABORT Transaction discarded because of previous errors.";

// A part on its way: what it asks of the store, or what it is answered without.
struct Part {
  CallRef call;
  std::optional<Request> request;
  std::string answer;
};

std::string answer_aborted(std::string_view text) {
  std::string out;
  wire::error_as_is(out, text);
  return out;
}

// Of one that needs nothing but this process.
std::string answer_quick(const CallRef& call) {
  call->entry().handler(call);
  return call->take_delivery().bytes;
}

Part read_part(const CallRef& call) {
  Part part{call, std::nullopt, {}};
  if (call->entry().flow != Flow::keys) return part;
  auto request = read_request(*call);
  if (request.ok())
    part.request = std::move(*request);
  else
    part.answer = wire::error_reply(request.status().message());
  return part;
}

void answer(const CallRef& call, std::vector<Part> parts, Answers answers) {
  std::string out;
  wire::array(out, parts.size());
  std::size_t next = 0;
  for (Part& part : parts) {
    if (part.request)
      out += reply_to(*part.call, *part.request, std::move(answers[next++]));
    else
      out += part.answer.empty() ? answer_quick(part.call) : part.answer;
  }
  call->answer(std::move(out));
}

void run(const CallRef& call, const command::Spec* as, store::KeyBatch batch, std::vector<Part> parts) {
  const std::size_t asked = batch.commands.size();
  run_batch(call, as, std::move(batch), [call, asked, parts = std::move(parts)](Result<Answers> answers) mutable {
    if (answers.code() == Code::conflict) {
      std::string out;
      wire::null_array(out, call->protocol());
      return call->answer(std::move(out));
    }
    if (!answers.ok()) return call->fail(error_text(answers.status()));
    check(answers->size() == asked, "a whole batch is answered whole");
    answer(call, std::move(parts), *std::move(answers));
  });
}

// --- the commands ---

void multi(const CallRef& call) {
  if (!call->transaction) return call->fail("MULTI calls can not be nested");
  call->answer(wire::ok());
}

void exec(const CallRef& call) {
  std::vector<store::KeyVersion> watched = std::exchange(call->client().watched, {});
  if (!call->transaction) return call->fail("EXEC without MULTI");
  Transaction transaction = std::move(*call->transaction);
  if (transaction.broken) return call->answer(answer_aborted(kAborted));
  store::KeyBatch batch;
  batch.whole = true;
  batch.unchanged = std::move(watched);
  std::vector<Part> parts;
  parts.reserve(transaction.calls.size());
  const command::Spec* as = nullptr;
  for (const CallRef& each : transaction.calls) {
    // Its client may have become somebody else since.
    const command::Spec* command = each->entry().command;
    if (command != nullptr && !call->core().door.admit(call->client().caller, *command).ok())
      return call->answer(answer_aborted(fmt::format("EXECABORT Transaction discarded: {}", not_permitted(each->name()))));
    parts.push_back(read_part(each));
    if (!parts.back().request) continue;
    batch.commands.push_back(parts.back().request->command);
    as = stricter(as, command);
  }
  if (batch.commands.empty() && batch.unchanged.empty()) return answer(call, std::move(parts), {});
  run(call, as, std::move(batch), std::move(parts));
}

void discard(const CallRef& call) {
  if (!call->transaction) return call->fail("DISCARD without MULTI");
  call->client().watched.clear();
  call->answer(wire::ok());
}

// What is watched already stays as it was then.
void watch(const CallRef& call) {
  if (call->transaction) return call->fail("WATCH inside MULTI is not allowed");
  if (const std::string_view view = view_in(call->entry(), call->args()); !view.empty())
    return call->fail(
        fmt::format("'{}' is a view and cannot be watched; only plain keys can", view.substr(0, kShownNameBytesMax)));
  const std::vector<store::KeyVersion>& known = call->client().watched;
  store::KeyBatch batch;
  std::vector<std::string> keys;
  std::size_t bytes = 0;
  for (const store::KeyVersion& each : known) bytes += each.key.size();
  for (std::size_t i = 1; i < call->size(); ++i) bytes += call->arg(i).size();
  if (bytes > kWatchedBytesMax || known.size() + call->size() - 1 > kWatchedKeysMax)
    return call->fail(fmt::format("too many watched keys; at most {}, and {} bytes of their names, of one connection",
                                  kWatchedKeysMax, kWatchedBytesMax));
  for (std::size_t i = 1; i < call->size(); ++i) {
    const std::string& key = call->arg(i);
    const auto is_it = [&key](const store::KeyVersion& each) { return each.key == key; };
    if (std::any_of(known.begin(), known.end(), is_it) || std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    batch.commands.emplace_back(store::key::Version{key});
    keys.push_back(key);
  }
  if (keys.empty()) return call->answer(wire::ok());
  ask(call, command::KeysReadRequest{std::move(batch)}, [call, keys = std::move(keys)](Result<Answers> answers) {
    if (!answers.ok()) return call->fail(error_text(answers.status()));
    for (const store::KeyAnswer& each : *answers)
      if (each.kind == store::KeyAnswer::Kind::refused) return call->fail(each.text);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      store::KeyAnswer& each = (*answers)[i];
      const bool is_there = each.kind == store::KeyAnswer::Kind::text;
      call->client().watched.push_back({keys[i], is_there ? std::optional(std::move(each.text)) : std::nullopt});
    }
    call->answer(wire::ok());
  });
}

void unwatch(const CallRef& call) {
  call->client().watched.clear();
  call->answer(wire::ok());
}

constexpr Word about(std::string_view name, Arity arity, KeysAt keys, Flow flow, std::string_view summary, Handler handler) {
  Word made = word(name, arity, keys, kReads, "transactions", summary, nullptr);
  made.entry.flow = flow;
  made.entry.handler = handler;
  return made;
}

constexpr std::array kTransactionWords{
    about("MULTI", {1, 1}, kNoKeys, Flow::local, "Keeps the commands that follow until EXEC or DISCARD.", multi),
    about("EXEC", {1, 1}, kNoKeys, Flow::alone, "Does what was kept as one; nothing when a watched key changed.", exec),
    about("DISCARD", {1, 1}, kNoKeys, Flow::alone, "Forgets what was kept and what is watched.", discard),
    about("WATCH", {2, kMany}, kAllKeys, Flow::alone, "Lets the next EXEC do nothing when one of the keys changes before it.",
          watch),
    about("UNWATCH", {1, 1}, kNoKeys, Flow::alone, "Forgets what is watched.", unwatch),
};

}  // namespace

std::span<const Word> transaction_words() { return kTransactionWords; }

}  // namespace keyspace
}  // namespace muster::resp
