// What a keyspace command asks of the store, and how its answer looks on the wire.
//
// read_request() turns the arguments of a call into a Request; reply_to() turns the store's answer into bytes. Views use both, so
// that a command reads its arguments and writes its reply in one way, whatever it is about.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "base/unique_function.h"
#include "command/keys.h"
#include "fronts/resp/call.h"

namespace muster::resp::keyspace {

struct Request;

// One answer on its way out.
struct Answered {
  std::string& out;
  store::KeyAnswer& answer;
  const Request& request;
  Call& call;
};
using Render = void (*)(Answered);

// LPOS with options: asked as the whole list and searched here.
struct PositionQuery {
  std::string value;
  std::int64_t rank = 1;
  std::optional<std::int64_t> count;  // 0: all of them
  std::int64_t compared_max = 0;      // 0: the whole list
};

struct Request {
  Request(store::KeyCommand command_in, Render render_in) : command(std::move(command_in)), render(render_in) {}

  store::KeyCommand command;
  Render render;
  std::optional<Duration> wait;                   // a pop or move that waits for an element so long; 0: for ever
  std::unique_ptr<const PositionQuery> position;  // for the one render that needs it
};

// REQUIRES: the call's entry is one of keyspace_commands() with Flow::keys, and its arity is right.
// invalid_argument: the text goes after "-ERR " as it stands.
Result<Request> read_request(Call& call);

std::string reply_to(Call& call, const Request& request, store::KeyAnswer answer);

// The one of two commands that needs the higher role. Null: none yet.
const command::Spec* stricter(const command::Spec* one, const command::Spec* other);
// Runs a batch as keys.read, keys.write or keys.clear. `then` runs on the loop's thread.
void run_batch(const CallRef& call, const command::Spec* as, store::KeyBatch batch,
               UniqueFunction<void(Result<command::KeysReply>)> then);

}  // namespace muster::resp::keyspace
