// The keyspace: batches of its commands, and pops that wait. A wire says what a batch does by the command it runs it as, and is
// held to that.
#pragma once

#include <vector>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

using KeysReply = std::vector<store::KeyAnswer>;  // fewer than commands: the rest is to be asked again

// keys.read: what only looks.
inline constexpr Spec kKeysRead{
    .name = "keys.read",
    .since = "0.2",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Read keys.",
};

struct KeysReadRequest {
  store::KeyBatch batch;
};

template <>
struct Record<KeysReadRequest> : Command<kKeysRead, KeysReply> {};

void handle(Context& context, KeysReadRequest request, Reply<KeysReply> reply);

// keys.write: what changes some of them.
inline constexpr Spec kKeysWrite{
    .name = "keys.write",
    .since = "0.2",
    .auth = Auth::worker,
    .effect = Effect::write,
    .summary = "Change keys.",
};

struct KeysWriteRequest {
  store::KeyBatch batch;
};

template <>
struct Record<KeysWriteRequest> : Command<kKeysWrite, KeysReply> {};

void handle(Context& context, KeysWriteRequest request, Reply<KeysReply> reply);

// keys.clear: what removes all of them.
inline constexpr Spec kKeysClear{
    .name = "keys.clear",
    .since = "0.2",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Remove every key of the clients.",
};

struct KeysClearRequest {
  store::KeyBatch batch;  // may hold other commands beside the one that clears
};

std::string target_of(const KeysClearRequest& request);

template <>
struct Record<KeysClearRequest> : Command<kKeysClear, KeysReply> {};

void handle(Context& context, KeysClearRequest request, Reply<KeysReply> reply);

// keys.await: a pop or a move that waits for an element.
inline constexpr Spec kKeysAwait{
    .name = "keys.await",
    .since = "0.2",
    .auth = Auth::worker,
    .effect = Effect::write,
    .summary = "Take an element out of a list, waiting for one if there is none.",
};

struct KeysAwaitRequest {
  store::KeyCommand command;  // key::Pop or key::Move
  Duration wait{0};           // 0: for ever
};

template <>
struct Record<KeysAwaitRequest> : Command<kKeysAwait, store::KeyAnswer> {};

// The ticket ends the wait (Delivery::cancel). An answer that cannot be delivered is for Delivery::put_back.
engine::KeyTicket handle(Context& context, KeysAwaitRequest request, Reply<store::KeyAnswer> reply);

}  // namespace muster::command
