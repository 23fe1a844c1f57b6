// What has to be read before something is decided about a run, and the loop that writes a decision. Asynchronous, without state
// of their own; replies come on a store thread.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "agents/base.h"
#include "agents/context.h"
#include "base/reply.h"
#include "store/agents.h"

namespace muster::agents {

inline constexpr std::uint32_t kChangeTriesMax = 8;  // of a write that others were faster than

// Of blocks that are read for one call of the model: twice what the API takes, since a request may be the shorter one.
inline constexpr std::size_t kCallBytesMax = 64 * 1024 * 1024;
// Of a session that is compacted, or forked before a prompt.
inline constexpr std::size_t kSessionBytesMax = 256 * 1024 * 1024;

// The whole conversation: of a run as that is shown it, or of a session. exhausted: it has more than `bytes_max` bytes of blocks.
void read_messages(const BasePtr& base, store::MessageQuery query, std::size_t bytes_max, Reply<std::vector<AgentMessage>> reply);

// What the agent may call, and which agents are at work above it.
struct CallFacts {
  ToolSet tools;
  std::vector<AgentId> lineage;  // of the run and of those above it, the nearest first
  std::vector<AgentRun> above;   // the runs above it, the nearest first
};
void read_call_facts(const BasePtr& base, const store::AgentRunView& view, Reply<CallFacts> reply);

// Reads, decides and writes until nobody was faster. `decide` gives the write, nothing when there is none to make, or why not.
using Decide = std::function<Result<std::optional<store::AgentRunWrite>>(const store::AgentRunView&)>;
struct Changed {
  store::AgentRunView before;
  std::optional<store::AgentRunWritten> written;
};
void change_run(const BasePtr& base, JobId run, Decide decide, Reply<Changed> reply);

// The view after the write.
store::AgentRunView after_write(store::AgentRunView view, const store::AgentRunWrite& write,
                                const store::AgentRunWritten& written);

}  // namespace muster::agents
