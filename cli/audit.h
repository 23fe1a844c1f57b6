// What `muster audit` shares with its tests: rows as people read them.
#pragma once

#include <span>

#include "cli/table.h"
#include "sdk/cpp/types.h"

namespace muster::cli {

Table audit_table(std::span<const sdk::AuditRow> rows);

}  // namespace muster::cli
