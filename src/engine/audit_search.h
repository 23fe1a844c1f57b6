// One page of the audit book: reads the index of both shelves from the newest block down, the texts of what may fit, and stops
// when the page is full or enough was looked at.
//
// Rows leave in the order of their ids. Blocks of several nodes overlap in time, so a row is sure of its place only when no block
// that was not read can hold a newer one.
#pragma once

#include "base/reply.h"
#include "engine/audit_rows.h"
#include "store/store.h"

namespace muster::engine {

inline constexpr std::size_t kAuditScanMax = 20'000;  // rows that one page looks at

// REQUIRES: a limit of at least one, and a cursor that is empty or has a stamp. The store outlives the reply.
void search_audit(store::Store& store, AuditQuery query, Reply<AuditPage> reply);

}  // namespace muster::engine
