// Outcomes and renewals of any job, plain or special; the group's quick way for completing plain ones is in ../group/.
#pragma once

#include <variant>
#include <vector>

#include "store/jobs/rules.h"
#include "store/postgres/tx.h"
#include "store/verbs.h"

namespace muster::store::postgres {

using jobs::Outcome;
using Extension = std::variant<Renewal, ProgressUpdate>;

// One answer each, in order; the same job may be named twice.
std::vector<Result<Settled>> settle(Tx& tx, const std::vector<Outcome>& outcomes);
std::vector<Result<Renewed>> extend(Tx& tx, const std::vector<Extension>& extensions);

}  // namespace muster::store::postgres
