#include <map>
#include <memory>
#include <set>

#include "command/schedules.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/runs.h"
#include "fronts/grpc/dialect/workers.h"
#include "fronts/grpc/v1/shapes.h"

namespace muster::rpc::v1 {
namespace {

constexpr PageRule kTypePages{.usual = 20, .most = 100};
constexpr const char* kSdkVersionMin = "0.1.0";

bool is_active(RunStatus status) {
  return status == RunStatus::pending || status == RunStatus::running || status == RunStatus::sleeping;
}

}  // namespace

void health_check(CallRef call) {
  const auto request = V1::parse<pb::HealthCheckRequest>(call);
  if (!request) return;
  const store::StoreHealth health = call->core.door.health();
  pb::HealthCheckResponse response;
  response.set_status(health.writable ? pb::SERVING_STATUS_SERVING : pb::SERVING_STATUS_NOT_SERVING);
  response.set_message(health.writable ? "ok" : health.reason);
  put_instant(call->core.now(), response.mutable_timestamp());
  V1::answer(call, response);
}

void get_server_info(CallRef call) {
  const auto request = V1::parse<pb::GetServerInfoRequest>(call);
  if (!request) return;
  pb::GetServerInfoResponse response;
  response.set_version(call->core.door.facts().version);
  response.set_api_version("v1");
  for (const char* feature : {"workflow", "worker", "workflow_schedule", "admin", "namespace"})
    response.add_supported_features(feature);
  response.set_min_sdk_version(kSdkVersionMin);
  V1::answer(call, response);
}

namespace {

// Runs, then workers, then schedules of one namespace.
class Stats : public std::enable_shared_from_this<Stats> {
 public:
  Stats(CallRef call, NamespaceName ns) : call_(std::move(call)), ns_(std::move(ns)) {}

  void run() {
    count_statuses(call_, ns_, {}, [self = shared_from_this()](Result<RunCounts> counts) {
      if (!counts.ok()) return V1::refuse(self->call_, counts.status());
      self->put_runs(*counts);
      self->count_workers();
    });
  }

 private:
  void put_runs(const RunCounts& counts) {
    std::map<RunStatus, std::uint64_t> by_status;
    for (const auto& [place, statuses] : counts)
      for (const auto& [status, count] : statuses) {
        by_status[status] += count;
        (*response_.mutable_workflows_by_type())[decode_name(place.second)] += static_cast<std::int64_t>(count);
      }
    std::int64_t total = 0;
    for (const auto& [status, count] : by_status) {
      if (count == 0) continue;
      total += static_cast<std::int64_t>(count);
      (*response_.mutable_workflows_by_status())[std::string(word_of(status))] = static_cast<std::int64_t>(count);
    }
    const auto of = [&by_status](RunStatus status) { return static_cast<std::int64_t>(by_status[status]); };
    response_.set_total_workflows(total);
    response_.set_pending_workflows(of(RunStatus::pending));
    response_.set_running_workflows(of(RunStatus::running));
    response_.set_completed_workflows(of(RunStatus::completed));
    response_.set_failed_workflows(of(RunStatus::failed));
  }

  void count_workers() {
    list_some({WorkerState::online}, [self = shared_from_this()](std::uint64_t online) {
      self->response_.set_online_workers(static_cast<std::int64_t>(online));
      self->list_some({WorkerState::online, WorkerState::draining}, [self](std::uint64_t live) {
        self->response_.set_total_workers(static_cast<std::int64_t>(live));
        self->count_schedules();
      });
    });
  }

  void list_some(std::vector<WorkerState> states, UniqueFunction<void(std::uint64_t)> then) {
    WorkerListing listing;
    listing.ns = ns_;
    listing.states = std::move(states);
    rpc::list_workers(call_, std::move(listing),
                      [self = shared_from_this(), then = std::move(then)](Result<WorkersPage> page) mutable {
                        if (!page.ok()) return V1::refuse(self->call_, page.status());
                        then(page->total);
                      });
  }

  void count_schedules() {
    list_schedules(std::nullopt, [self = shared_from_this()](std::uint64_t total) {
      self->response_.set_total_schedules(static_cast<std::int64_t>(total));
      self->list_schedules(true, [self](std::uint64_t enabled) {
        self->response_.set_enabled_schedules(static_cast<std::int64_t>(enabled));
        V1::answer(self->call_, self->response_);
      });
    });
  }

  void list_schedules(std::optional<bool> enabled, UniqueFunction<void(std::uint64_t)> then) {
    store::ScheduleQuery query;
    query.ns = ns_;
    query.enabled = enabled;
    query.limit = 1;
    ask(call_, std::move(query), [self = shared_from_this(), then = std::move(then)](Result<store::SchedulePage> page) mutable {
      if (!page.ok() && page.code() != Code::not_found) return V1::refuse(self->call_, page.status());
      then(page.ok() ? page->total : 0);
    });
  }

  CallRef call_;
  const NamespaceName ns_;
  pb::GetStatsResponse response_;
};

}  // namespace

void get_stats(CallRef call) {
  const auto request = V1::parse<pb::GetStatsRequest>(call);
  if (!request) return;
  const std::string& text = request->namespace_();
  std::make_shared<Stats>(call, namespace_of(text.empty() ? std::string(kDefaultNamespace) : text))->run();
}

void get_queue_depth(CallRef call) {
  const auto request = V1::parse<pb::GetQueueDepthRequest>(call);
  if (!request) return;
  if (Status all = required({{"namespace", &request->namespace_()}}); !all.ok()) return V1::refuse(call, all);
  const QueueName queue(request->task_queue().empty() ? std::string() : encode_name(request->task_queue()));
  count_statuses(call, namespace_of(request->namespace_()), queue, [call](Result<RunCounts> counts) {
    if (!counts.ok()) return V1::refuse(call, counts.status());
    std::map<RunStatus, std::int64_t> sums;
    pb::GetQueueDepthResponse response;
    for (const auto& [place, statuses] : *counts)
      for (const auto& [status, count] : statuses) {
        sums[status] += static_cast<std::int64_t>(count);
        if (status == RunStatus::pending)
          (*response.mutable_depth_by_queue())[decode_name(place.first)] += static_cast<std::int64_t>(count);
      }
    response.set_pending_count(sums[RunStatus::pending]);
    response.set_running_count(sums[RunStatus::running]);
    response.set_sleeping_count(sums[RunStatus::sleeping]);
    V1::answer(call, response);
  });
}

void list_workflow_types(CallRef call) {
  const auto request = V1::parse<pb::ListWorkflowTypesRequest>(call);
  if (!request) return;
  if (Status all = required({{"namespace", &request->namespace_()}}); !all.ok()) return V1::refuse(call, all);
  const auto page = page_of(call, request->page(), kTypePages);
  if (!page) return;
  count_statuses(call, namespace_of(request->namespace_()), {}, [call, page = *page](Result<RunCounts> counts) {
    if (!counts.ok()) return V1::refuse(call, counts.status());
    struct Sums {
      std::int64_t total = 0;
      std::int64_t active = 0;
      std::set<std::string> queues;
    };
    std::map<std::string, Sums> types;
    for (const auto& [place, statuses] : *counts) {
      Sums& sums = types[place.second];
      sums.queues.insert(decode_name(place.first));
      for (const auto& [status, count] : statuses) {
        sums.total += static_cast<std::int64_t>(count);
        if (is_active(status)) sums.active += static_cast<std::int64_t>(count);
      }
    }
    pb::ListWorkflowTypesResponse response;
    std::string last;
    bool more = false;
    for (auto it = page.cursor.empty() ? types.begin() : types.upper_bound(page.cursor); it != types.end(); ++it) {
      if (static_cast<std::size_t>(response.workflow_types_size()) == page.limit) {
        more = true;
        break;
      }
      last = it->first;
      pb::WorkflowTypeInfo* info = response.add_workflow_types();
      info->set_workflow_type(decode_name(it->first));
      info->set_total_runs(it->second.total);
      info->set_active_runs(it->second.active);
      for (const std::string& queue : it->second.queues) info->add_task_queues(queue);
    }
    put_page(more ? last : std::string(), types.size(), response.mutable_page());
    V1::answer(call, response);
  });
}

}  // namespace muster::rpc::v1
