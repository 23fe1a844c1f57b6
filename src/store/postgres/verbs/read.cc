// Jobs by their ids, whole.
#include <unordered_map>

#include "store/postgres/row.h"
#include "store/postgres/verbs/verbs.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

const Sql kReadJobs{"read_jobs"};

}  // namespace

Each<Job> get_jobs(Tx& tx, const std::vector<JobId>& jobs) {
  std::vector<std::int64_t> keys;
  for (const JobId& id : jobs)
    if (const auto key = tx.ids().decode(id)) keys.push_back(*key);
  const Rows rows = tx.ask(kReadJobs, Params().int8s(keys).int8(tx.now_ms()));
  know_lanes(tx, rows);
  std::unordered_map<JobId, std::size_t> row_of;
  for (std::size_t i = 0; i < rows.size(); ++i) row_of.emplace(tx.ids().encode(rows.integer(i, 0)), i);
  Each<Job> out;
  out.reserve(jobs.size());
  for (const JobId& id : jobs) {
    if (const auto found = row_of.find(id); found != row_of.end())
      out.emplace_back(read_whole_row(tx, rows, found->second));
    else
      out.emplace_back(refusal::no_job(id));
  }
  return out;
}

}  // namespace muster::store::postgres
