// What of a job's description ties it to others, and whether it can be treated like any other.
#pragma once

#include <optional>
#include <string_view>

#include "model/job.h"
#include "store/postgres/moves.h"

namespace muster::store::postgres {

// A claim must look at it by itself: it stands in a special lane.
bool claims_specially(const JobSpec& spec);
// Its end touches more than its own row.
bool settles_specially(const JobSpec& spec);
// Enqueueing it is one row and nothing else.
bool is_plain(const JobSpec& spec);

// The bits of its row's flags that follow from it.
std::uint16_t flags_of(const JobSpec& spec);
// What those bits say there is, read from the description's text.
std::optional<JobId> parent_of(std::uint16_t flags, std::string_view spec);
std::optional<Instant> deadline_of(std::uint16_t flags, std::string_view spec);

// The columns of the statement `enqueue`.
inline Table enqueue_table() {
  return Table({Type::int8, Type::int4, Type::int2, Type::int8, Type::int8, Type::int8, Type::int8, Type::int8, Type::int2,
                Type::boolean, Type::int2, Type::int8, Type::text, Type::bytes, Type::int8});
}

Wishes wishes_of(const JobSpec& spec, NamespaceKey ns, Instant created_at);
void write_wishes(Tx& tx, JobKey job, const Wishes& wishes);

}  // namespace muster::store::postgres
