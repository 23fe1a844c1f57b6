// The table of the keyspace's commands, joined from the words of each type.
#include <vector>

#include "base/check.h"
#include "command/keys.h"
#include "fronts/resp/core.h"
#include "fronts/resp/keyspace/words.h"

namespace muster::resp {
namespace keyspace {
namespace {

struct Table {
  Table() {
    for (const std::span<const Word> part : {any_words(), listing_words(), text_words(), list_words(), hash_words(), set_words(),
                                             score_words(), transaction_words()})
      for (const Word& each : part) {
        entries.push_back(each.entry);
        readers.push_back(each.read);
      }
  }
  std::vector<Entry> entries;
  std::vector<Reader> readers;  // of the entry at the same place
};

const Table& table() {
  static const Table made;
  return made;
}

}  // namespace

Result<Request> read_request(Call& call) {
  const auto place = static_cast<std::size_t>(&call.entry() - table().entries.data());
  check(place < table().readers.size() && table().readers[place] != nullptr, "the command is one of the keyspace");
  return table().readers[place](call);
}

const command::Spec* stricter(const command::Spec* one, const command::Spec* other) {
  if (one == nullptr || other == nullptr) return one == nullptr ? other : one;
  return one->auth >= other->auth ? one : other;
}

void run_batch(const CallRef& call, const command::Spec* as, store::KeyBatch batch,
               UniqueFunction<void(Result<command::KeysReply>)> then) {
  if (as == &command::kKeysClear) return ask(call, command::KeysClearRequest{std::move(batch)}, std::move(then));
  if (as == &command::kKeysWrite) return ask(call, command::KeysWriteRequest{std::move(batch)}, std::move(then));
  ask(call, command::KeysReadRequest{std::move(batch)}, std::move(then));
}

}  // namespace keyspace

std::span<const Entry> keyspace_commands() { return keyspace::table().entries; }

}  // namespace muster::resp
