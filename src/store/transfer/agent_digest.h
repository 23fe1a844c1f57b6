// The bytes of records about agents that a digest is made of: every column, whatever a store makes of it.
#pragma once

#include <string>

#include "store/transfer/record.h"

namespace muster::store::transfer {

std::string agent_bytes(const Agent& record);
std::string agent_bytes(const Tool& record);
std::string agent_bytes(const SessionRow& record);
std::string agent_bytes(const AgentRun& record);
std::string agent_bytes(const Iteration& record);
std::string agent_bytes(const ExecutionRecord& record);
std::string agent_bytes(const MessageRow& record);
std::string agent_bytes(const CompactionEvent& record);
std::string agent_bytes(const ArchiveRecord& record);
std::string agent_bytes(const SpendingRecord& record);
std::string agent_bytes(const BlobRecord& record);

}  // namespace muster::store::transfer
