// The table of commands: names, arity, keys, rights, what they say about themselves, and who answers them.
//
// Each sub-folder brings its own entries; commands.cc joins them. COMMAND, COMMAND DOCS and docs/protocol-resp.md come from it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "command/spec.h"
#include "fronts/resp/call.h"

namespace muster::resp {

// How commands of one connection that arrive together are run.
enum class Flow : std::uint8_t {
  local,    // needs nothing but this process: answered at once, wherever it stands
  alone,    // waits until everything before it is answered, and everything after it waits
  keys,     // plain keyspace: neighbours go to the store as one batch
  pops,     // takes jobs out of a queue: neighbours become one claim
  pushes,   // puts jobs into a queue: neighbours become one enqueue
  updates,  // outcomes of jobs: neighbours become one settlement
};

using Handler = void (*)(const CallRef& call);

struct Entry {
  std::string_view name;  // in capitals
  std::size_t least = 1;  // arguments, the name included
  std::size_t most = 1;   // kMany: no bound
  Flow flow = Flow::alone;
  const command::Spec* command = nullptr;  // whose rights it needs; null: everybody who has authenticated may use it
  bool before_auth = false;                // and everybody else, too
  int first_key = 0;                       // as COMMAND INFO counts; 0: none
  int last_key = 0;
  int key_step = 0;
  std::string_view arity_error;  // after "-ERR "; empty: "wrong number of arguments for '<name>' command"
  std::string_view group;        // "connection", "string", "list", "worker", "plan", …
  std::string_view summary;
  Handler handler = nullptr;  // of Flow::local and Flow::alone
};

inline constexpr std::size_t kMany = static_cast<std::size_t>(-1);

const Entry* find_command(std::string_view name);  // in capitals
std::span<const Entry* const> all_commands();      // by name

// What the sub-folders bring.
std::span<const Entry> link_commands();      // link/: PING, AUTH, HELLO, CLIENT, SUBSCRIBE, …
std::span<const Entry> keyspace_commands();  // keyspace/: GET, LPUSH, HSET, …; their flow is keys
std::span<const Entry> work_commands();      // work/: WORKER.*, JOB.UPDATE, …
std::span<const Entry> plan_commands();      // plans/: PLAN.*, ACTION.*, JOB.*, JOBS.*, QUEUE.*, METRICS

// Runs of neighbours with one flow. Every call is answered once.
void run_keys(const CallGroupRef& calls);     // keyspace/
void run_pops(const CallGroupRef& calls);     // work/
void run_pushes(const CallGroupRef& calls);   // work/
void run_updates(const CallGroupRef& calls);  // work/

// A keyspace command that names a key which is a view of the registry or of a queue (worker:*, capability:*, job:*, plan:*,
// action:*, queue:*, plans:all, actions:all, workers:all): how it flows, and who answers it when that is Flow::alone.
bool is_view(std::string_view key);                    // views/
Flow keys_flow(const Entry& entry, const Args& args);  // views/: keys when none of them is a view
void run_view(const CallRef& call);                    // views/

}  // namespace muster::resp
