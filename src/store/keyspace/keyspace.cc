// The batch: each command is judged by itself, in order, over the same rows.
#include "store/keyspace/keyspace.h"

#include <algorithm>

#include <fmt/format.h>

#include "store/keyspace/families.h"
#include "store/keyspace/metered_rows.h"

namespace muster::store::keyspace {
namespace {

// Calls `take` with every key the command names.
template <class Command, class Take>
void each_key(const Command& c, Take take) {
  if constexpr (requires { c.key; }) take(c.key);
  if constexpr (requires { c.from; }) take(c.from);
  if constexpr (requires { c.to; }) take(c.to);
  if constexpr (requires { c.keys; })
    for (const std::string& key : c.keys) take(key);
  if constexpr (requires { c.pairs; })
    for (const KeyPair& pair : c.pairs) take(pair.first);
  if constexpr (requires { c.into; })
    if (c.into) take(*c.into);
}

template <class Command>
KeyAnswer judge(Stage& stage, const Command& c) {
  std::optional<KeyAnswer> refused;
  std::size_t keys = 0;
  each_key(c, [&](const std::string& key) {
    ++keys;
    if (!refused) refused = refuse_key(key);
  });
  if (!refused) refused = refuse_keys(keys);
  return refused ? std::move(*refused) : apply(stage, c);
}

bool is_unchanged(Stage& stage, const KeyVersion& expected) {
  const KeyAnswer now = apply(stage, key::Version{expected.key});
  return expected.version ? now.kind == KeyAnswer::Kind::text && now.text == *expected.version
                          : now.kind == KeyAnswer::Kind::nothing;
}

Status refuse_whole() {
  return Status::exhausted(
      fmt::format("the commands are about more than kWholeRowsMax ({}) rows or answer more than "
                  "kBatchAnswerBytesMax ({} bytes) together; nothing was done: do it in parts",
                  Bounds::kWholeRowsMax, Bounds::kBatchAnswerBytesMax));
}

}  // namespace

std::size_t bytes_of(const KeyAnswer& answer) {
  std::size_t bytes = sizeof(KeyAnswer) + answer.text.size();
  for (const KeyAnswer& each : answer.list) bytes += bytes_of(each);
  return bytes;
}

Ran run(KeyRows& rows, const Run& what) {
  constexpr Cost kQuick{Bounds::kQuickRowsMax, Bounds::kQuickBytesMax};
  constexpr Cost kLong{Bounds::kReadRowsMax, MeteredRows::kNoLimit.bytes};  // what is kept of it is bounded by the answer
  constexpr Cost kWhole{Bounds::kWholeRowsMax, MeteredRows::kNoLimit.bytes};
  Ran ran;
  ran.answers.reserve(what.commands.size());
  MeteredRows metered(rows);
  Stage stage(metered, what, ran);
  for (const KeyVersion& expected : what.unchanged) {
    if (is_unchanged(stage, expected)) continue;
    ran.refused = Status::conflict(fmt::format("key '{}' has changed", expected.key));
    return ran;
  }
  std::size_t answer_bytes = 0;
  for (const KeyCommand& command : what.commands) {
    const bool reads = !writes(command);
    metered.allow(!reads ? MeteredRows::kNoLimit : what.quick ? kQuick : what.whole ? kWhole : kLong);
    KeyAnswer answer = std::visit([&stage](const auto& c) { return judge(stage, c); }, command);
    if (metered.over()) {
      ran.long_read = what.quick;
      if (what.quick) break;
      if (what.whole) {
        ran.refused = refuse_whole();
        break;
      }
      answer = refuse_read();
    }
    if (ran.unfinished) {
      if (!what.divisible) ran.refused = refuse_whole();
      break;
    }
    ran.answers.push_back(std::move(answer));
    const Cost& spent = metered.spent();
    if (what.whole) answer_bytes += bytes_of(ran.answers.back());
    if (what.whole && (spent.rows > Bounds::kWholeRowsMax || answer_bytes > Bounds::kBatchAnswerBytesMax)) {
      ran.refused = refuse_whole();
      break;
    }
    if (what.divisible && (spent.rows >= Bounds::kSliceRowsMax || spent.bytes >= Bounds::kSliceBytesMax)) break;
  }
  return ran;
}

std::vector<std::string> keys_of(const KeyCommand& command) {
  std::vector<std::string> keys;
  std::visit([&keys](const auto& c) { each_key(c, [&keys](const std::string& key) { keys.push_back(key); }); }, command);
  return keys;
}

}  // namespace muster::store::keyspace
