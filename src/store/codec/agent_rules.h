// What a request about agents must be like in itself, whatever is in the store: the same words from every store, before it looks.
#pragma once

#include "base/status.h"
#include "store/agents.h"

namespace muster::store {

// A run that begins is not final, and is deeper than 0 exactly when it has a parent.
Status check_start(const AgentRunStart& start);
// Final states have their times and others have none; an execution has a job or a child; no id comes twice.
Status check_write(const AgentRunWrite& write);
// A run that has ended still pays for what is done for it afterwards, such as a summary: its totals change and nothing else is
// written, so that it is as final as before.
bool only_pays(const AgentRun& ended, const AgentRunWrite& write);
// What became of a session that is deleted commit by commit, when one of them was not made.
Status part_failed(bool begun, const Status& why);
// No message goes twice, and no two come into one place.
Status check_compaction(const Compaction& compaction);

}  // namespace muster::store
