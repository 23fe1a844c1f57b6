#include "command/watch/timing.h"

#include <fmt/format.h>

#include <utility>

#include "base/time_text.h"
#include "model/limits.h"

namespace muster::command {
namespace {

constexpr Duration kDay{24 * 60 * 60 * 1'000};

FiresOfSchedule fires_of(const Schedule& schedule, Instant from, Instant to) {
  engine::FiresWithin within = engine::fires_within(schedule.spec.timing, from, to, kFiresToldMax);
  return {.id = schedule.spec.id, .ns = schedule.spec.ns, .fires = std::move(within.fires), .more = within.more};
}

}  // namespace

void handle(Context& context, ScheduleExplainRequest request, Reply<ScheduleExplainReply> reply) {
  if (request.count < 1 || request.count > limits::kPreviewMax)
    return reply(Status::invalid_argument(fmt::format("count is {}; 1 to {} is accepted", request.count, limits::kPreviewMax)));
  reply(engine::explain_timing(request.timing, request.after.value_or(context.engine.clock().now()), request.count));
}

void handle(Context& context, ScheduleFiresRequest request, Reply<ScheduleFiresReply> reply) {
  const Instant from = request.from.value_or(context.engine.clock().now());
  const Instant to = request.to.value_or(from + kDay);
  if (from >= to || to - from > kFiresRangeMax)
    return reply(Status::invalid_argument(
        fmt::format("from {} to {} is no range of at most {} days", to_rfc3339(from), to_rfc3339(to), kFiresRangeMax / kDay)));
  store::ScheduleQuery query;
  query.ns = std::move(request.ns);
  query.enabled = true;
  query.limit = limits::kPageMax;
  auto own = only_own(
      context.caller, [](store::SchedulePage & page) -> auto& { return page.schedules; },
      Reply<store::SchedulePage>([from, to, reply = std::move(reply)](Result<store::SchedulePage> page) mutable {
        if (!page.ok()) return reply(page.status());
        ScheduleFiresReply out;
        for (const Schedule& schedule : page->schedules) out.schedules.push_back(fires_of(schedule, from, to));
        reply(std::move(out));
      }));
  context.engine.schedules().list(std::move(query), std::move(own));
}

}  // namespace muster::command
