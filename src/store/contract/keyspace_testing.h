// The fixture of the keyspace's contract cases: commands in, answers as short texts out.
//
// nil: nothing. OK: done. :3 a number. ,1.5 a real. 'abc' bytes. [a b] a list. !why a refusal.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "store/contract/contract.h"
#include "store/contract/recorder.h"

namespace muster::store::contract {

std::string show(const KeyAnswer& answer);

class KeyspaceContract : public StoreContract {
 protected:
  // One batch; the answers one after the other.
  std::vector<std::string> batch(std::vector<KeyCommand> commands, int line = __builtin_LINE()) {
    KeyBatch asked;
    asked.commands = std::move(commands);
    return batch(std::move(asked), line);
  }
  std::vector<std::string> batch(KeyBatch asked, int line = __builtin_LINE()) {
    std::vector<std::string> out;
    for (const KeyAnswer& answer : must(client().keyspace(std::move(asked)), line)) out.push_back(show(answer));
    return out;
  }
  std::string run(KeyCommand command, int line = __builtin_LINE()) { return show(answer_of(std::move(command), line)); }
  KeyAnswer answer_of(KeyCommand command, int line = __builtin_LINE()) {
    KeyBatch asked;
    asked.commands.push_back(std::move(command));
    auto answers = must(client().keyspace(std::move(asked)), line);
    return answers.size() == 1 ? std::move(answers.front()) : KeyAnswer::refuse("not one answer");
  }

  std::string set(std::string key, std::string value) { return run(key::Set{std::move(key), std::move(value)}); }
  std::string set_for(std::string key, std::string value, Duration time) {
    return run(key::Set{.key = std::move(key), .value = std::move(value), .expires_at = Instant(time), .relative = true});
  }
  std::string get(std::string key) { return run(key::Get{std::move(key)}); }
  std::string push(std::string key, std::vector<std::string> values, ListEnd end = ListEnd::right) {
    return run(key::Push{std::move(key), end, std::move(values)});
  }
  std::string pop(std::string key, ListEnd end = ListEnd::right) { return run(key::Pop{{std::move(key)}, end}); }
  std::string list(std::string key) { return run(key::ListRange{std::move(key)}); }
  std::string hset(std::string key, std::vector<KeyPair> fields) { return run(key::HashSet{std::move(key), std::move(fields)}); }
  std::string hash(std::string key) { return run(key::HashAll{std::move(key)}); }
  std::string sadd(std::string key, std::vector<std::string> members) {
    return run(key::SetAdd{std::move(key), std::move(members)});
  }
  std::string members(std::string key) { return run(key::SetMembers{std::move(key)}); }
  std::string zadd(std::string key, std::vector<ScoredMember> members) {
    return run(key::ScoresAdd{std::move(key), std::move(members)});
  }
  std::string scores(std::string key) {
    return run(key::ScoresRange{.key = std::move(key), .range = key::RankRange{}, .with_scores = true});
  }
  std::string exists(std::string key) { return run(key::Exists{{std::move(key)}}); }
  std::string remove(std::string key) { return run(key::Delete{{std::move(key)}}); }
  std::string time_left(std::string key) { return run(key::TimeLeft{std::move(key)}); }
  std::vector<std::string> names(std::string pattern, std::size_t limit = 0);  // all pages
};

inline const std::string kWrongTypeShown = "!WRONGTYPE Operation against a key holding the wrong kind of value";

}  // namespace muster::store::contract
