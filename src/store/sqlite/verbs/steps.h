// Reading steps, for the verbs that are about them and for explain().
#pragma once

#include <vector>

#include "store/sqlite/core.h"

namespace muster::store::sqlite {

// All rows of a statement that has its parameters.
std::vector<Step> read_steps(Core& core, Statement& st);
// Of a parked run: the steps that wait or will be tried again, the first few.
std::vector<Step> parked_on(Core& core, JobKey key, const HotJob& job, std::size_t limit);

}  // namespace muster::store::sqlite
