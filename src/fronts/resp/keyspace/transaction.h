// MULTI … EXEC: commands of one connection that are kept until EXEC and then happen as one, all of them or none.
//
//   MULTI ─► SET, LPUSH, … are kept, each answered QUEUED ─► EXEC: one whole batch of the store, one array of answers
//
// A transaction is begun and filled in the order in which commands arrive, so the session does that; EXEC takes it along. What
// cannot be undone with the keys is no part of one: commands about jobs, workers and plans, and those that wait.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fronts/resp/commands.h"

namespace muster::resp {

inline constexpr std::size_t kTransactionCommandsMax = 10'000;
inline constexpr std::size_t kTransactionBytesMax = 16 * 1024 * 1024;
inline constexpr std::size_t kWatchedKeysMax = 1'000;       // of one connection
inline constexpr std::size_t kWatchedBytesMax = 64 * 1024;  // of their names

struct Transaction {
  std::vector<CallRef> calls;  // never answered by themselves
  std::size_t bytes = 0;       // of their arguments
  bool broken = false;         // one was refused: EXEC does nothing
};

// Whether the command is about the transaction itself and is never kept in one.
bool is_about_transaction(const Entry& entry);
// Why the command can be no part of a transaction; empty: it can.
std::string objection_to_part(const Entry& entry, const Args& args);

}  // namespace muster::resp
