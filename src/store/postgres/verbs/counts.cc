// How many jobs are where.
#include <algorithm>
#include <map>
#include <tuple>

#include "store/postgres/moves.h"
#include "store/postgres/verbs/job_search.h"
#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {
namespace {

const Sql kCountJobs{"count_jobs"};

}  // namespace

Result<std::vector<JobCount>> count_jobs(Tx& tx, const JobFilter& filter) {
  if (!filter.ns.empty())
    if (const auto ns = tx.namespace_key(filter.ns); !ns.ok()) return ns.status();
  Params params;
  params.int4(sources_of(filter.states)).int4(bits_of(filter.states));
  if (!filter.ns.empty() || !filter.queue.empty() || !filter.type.empty())
    params.int4s(lanes_for(tx.directory(), filter));
  else
    params.null();
  const Rows rows = tx.ask(kCountJobs, std::move(params.int4(filter.runs_only ? kRun : std::uint16_t{0})));
  // Several lanes may be of one type.
  std::map<std::tuple<std::string, std::string, std::string, JobState>, std::uint64_t> sums;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto key = static_cast<LaneKey>(rows.integer(i, 0));
    if (tx.directory().lane(key) == nullptr) tx.reload_directory();  // made after this transaction began
    const LanePtr lane = tx.directory().lane(key);
    if (lane == nullptr) continue;
    sums[{lane->lane->ns.text(), lane->lane->queue.text(), lane->lane->type.text(), static_cast<JobState>(rows.integer(i, 1))}] +=
        static_cast<std::uint64_t>(rows.integer(i, 2));
  }
  std::vector<JobCount> out;
  for (const auto& [of, count] : sums)
    out.push_back({NamespaceName(std::get<0>(of)), QueueName(std::get<1>(of)), JobType(std::get<2>(of)), std::get<3>(of), count});
  return out;
}

}  // namespace muster::store::postgres
