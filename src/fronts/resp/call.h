// One command of one client, from its arguments to its reply.
//
// Everything happens on the loop's thread; answers of the engine come on store threads and pass by Core::post. A session sends
// replies in the order of the commands, however they come in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unique_function.h"
#include "fronts/resp/client.h"
#include "fronts/resp/wire/writer.h"

namespace muster::resp {

struct Core;
struct Entry;

struct Transaction;  // keyspace/transaction.h
using Args = std::vector<std::string>;

inline constexpr std::size_t kRunAnswerBytesMax = 8 * 1024 * 1024;  // a run whose answers are more postpones what is left of it

class Call : public std::enable_shared_from_this<Call> {
 public:
  // Why a call that waits is asked to end.
  enum class Interrupt : std::uint8_t {
    heartbeat,  // the client sent something behind a blocked pop that ends its wait. Answer with what is there, or with nothing.
    closed,     // the connection is gone or the server stops: undo what can be undone; the answer reaches nobody
  };

  Call(Core& core, std::shared_ptr<Client> client, const Entry& entry, Args args)
      : core_(core), client_(std::move(client)), entry_(entry), args_(std::move(args)) {}

  const Args& args() const { return args_; }  // [0]: the name in capitals
  std::string_view name() const { return args_[0]; }
  const std::string& arg(std::size_t i) const { return args_[i]; }
  std::size_t size() const { return args_.size(); }
  Core& core() { return core_; }
  Client& client() { return *client_; }
  const std::shared_ptr<Client>& client_ref() { return client_; }
  const Entry& entry() const { return entry_; }
  Protocol protocol() const { return client_->protocol; }

  // Exactly once. `sent` hears whether the operating system took the bytes (false: the connection ended before).
  void answer(std::string bytes, UniqueFunction<void(bool)> sent = {});
  void fail(std::string_view text) { answer(wire::error_reply(text)); }  // -ERR text
  bool answered() const { return answered_; }

  // Of MULTI, EXEC, DISCARD and WATCH: the one they begin, end or stand in. Null: there is none, or MULTI stands in one.
  std::shared_ptr<Transaction> transaction;

  // For runs: instead of an answer, when those before it are enough for one go. The session begins the call again later, as if it
  // had not been begun.
  void postpone();

  // A handler that waits says how to end the wait. Called at most once, only while unanswered. A reason that came before the
  // handler did is told in a later turn of the loop, never from inside on_interrupt().
  void on_interrupt(UniqueFunction<void(Interrupt)> handler);
  void interrupt(Interrupt why);
  bool interruptible() const { return static_cast<bool>(interrupt_); }
  bool was_interrupted() const { return interrupted_; }

  // For the session.
  struct Delivery {
    std::string bytes;
    UniqueFunction<void(bool)> sent;
  };
  Delivery take_delivery() { return std::move(delivery_); }
  std::size_t delivery_bytes() const { return delivery_.bytes.size(); }
  // Called once for the answer, and before it for every time it is postponed.
  void on_answered(UniqueFunction<void()> notify) { notify_ = std::move(notify); }
  bool take_postponed() { return std::exchange(postponed_, false); }

 private:
  Core& core_;
  std::shared_ptr<Client> client_;
  const Entry& entry_;
  Args args_;
  bool answered_ = false;
  bool postponed_ = false;
  Delivery delivery_;
  UniqueFunction<void(Interrupt)> interrupt_;
  std::optional<Interrupt> missed_;  // came while nobody could be told
  bool interrupted_ = false;
  UniqueFunction<void()> notify_;
};

using CallRef = std::shared_ptr<Call>;

// Commands that are run together. What one of their handlers throws, at once or when an answer comes for it, fails those of them
// that are unanswered.
using CallGroup = std::vector<CallRef>;
using CallGroupRef = std::shared_ptr<const CallGroup>;  // shared by their run and the answers that are on their way to it

}  // namespace muster::resp
