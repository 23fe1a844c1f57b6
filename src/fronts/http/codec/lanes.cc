#include "fronts/http/codec/lanes.h"

#include "fronts/http/codec/operations.h"
#include "fronts/http/codec/values.h"

namespace muster::http {
namespace {

using engine::LaneService;
using engine::LanesListed;
using engine::LanesQuery;
using store::LaneStats;

constexpr std::array kLaneParameters{
    parameter<&LanesQuery::ns>("namespace", "Empty: all."),
    parameter<&LanesQuery::queue>("queue", "Empty: all."),
    parameter<&LanesQuery::unserved>("unserved", "Only lanes that no worker serves."),
    parameter<&LanesQuery::limit>("limit", kLimitDoc).within(1, limits::kPageMax),
};

constexpr std::array kLaneFields{
    shown<&LaneService::stats, &LaneStats::ns>("namespace"),
    shown<&LaneService::stats, &LaneStats::queue>("queue"),
    shown<&LaneService::stats, &LaneStats::needs>("needs"),
    shown<&LaneService::stats, &LaneStats::scheduled>("scheduled"),
    shown<&LaneService::stats, &LaneStats::ready>("ready"),
    shown<&LaneService::stats, &LaneStats::running>("running"),
    shown<&LaneService::stats, &LaneStats::oldest_ready_at>(
        "oldest_ready_at", "Due time of the job that is ready longest, or of the first in line."),
    shown<&LaneService::paused>("paused", "Its queue."),
    shown<&LaneService::served>("served", "An online worker may take its jobs."),
    shown<&LaneService::able_workers>("able_workers", "Online; counted up to 1000."),
    shown_unless_blank<&LaneService::workers>("workers", "The first 20 of them."),
    shown_unless_blank<&LaneService::missing>("missing", "What no online worker of the namespace offers."),
};
constexpr Object<LaneService> kLane{
    "Lane", "The live jobs of a queue that need the same.", kLaneFields,
    R"({"namespace":"default","queue":"video","needs":["label:gpu=1","tool:ffmpeg"],"scheduled":0,"ready":3,"running":0,"oldest_ready_at":%at%,"paused":false,"served":false,"able_workers":0,"missing":["label:gpu=1"]})"};

constexpr std::array kLanesFields{
    shown<&LanesListed::lanes>("lanes", "Those that nobody serves first, then those where most wait."),
    shown<&LanesListed::total>("total", "Lanes with live jobs that were looked at."),
    shown<&LanesListed::unserved>("unserved", "Of them, those nobody serves."),
    shown<&LanesListed::more>("more", "Others are left out."),
};
constexpr Object<LanesListed> kLanes{"LaneList", "", kLanesFields, R"({"lanes":[%Lane%],"total":1,"unserved":1,"more":false})"};

constexpr std::array kLaneOperations{
    Operation{.id = "queue_lanes", .parameters = draw_parameters<kLaneParameters>, .answers = {ok<LanesListed>()}},
};

}  // namespace

std::span<const Operation> lane_operations() { return kLaneOperations; }

const Object<LaneService>& object_of(Of<LaneService>) { return kLane; }
const Object<LanesListed>& object_of(Of<LanesListed>) { return kLanes; }

Result<command::QueueLanesRequest> decode_queue_lanes(const std::vector<QueryParameter>& query) {
  return read_query(query, kLaneParameters);
}

}  // namespace muster::http
