// Timings before they are schedules, and all schedules on one calendar.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/reply.h"
#include "command/context.h"
#include "command/schedules.h"
#include "command/scope.h"
#include "command/spec.h"
#include "engine/timings.h"

namespace muster::command {

// schedule.explain: what a timing means, while it is typed.
inline constexpr Spec kScheduleExplain{
    .name = "schedule.explain",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Explain a timing in words and show its next fires.",
};

struct ScheduleExplainRequest {
  Timing timing;
  std::size_t count = kPreviewDefault;
  std::optional<Instant> after;  // empty: now
};

using engine::TimingExplained;
using ScheduleExplainReply = TimingExplained;

// invalid_argument: the timing, with the field that is wrong, or the count.
template <>
struct Record<ScheduleExplainRequest> : Command<kScheduleExplain, ScheduleExplainReply> {};

void handle(Context& context, ScheduleExplainRequest request, Reply<ScheduleExplainReply> reply);

// schedule.fires: when the enabled schedules fire within a range of time.
inline constexpr Spec kScheduleFires{
    .name = "schedule.fires",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show the fires of all enabled schedules within a range of time.",
};

inline constexpr Duration kFiresRangeMax{31LL * 24 * 60 * 60 * 1'000};
inline constexpr std::size_t kFiresToldMax = 500;  // of one schedule

struct ScheduleFiresRequest {
  NamespaceName ns;             // empty: all
  std::optional<Instant> from;  // empty: now
  std::optional<Instant> to;    // empty: a day after `from`
};

struct FiresOfSchedule {
  ScheduleId id;
  NamespaceName ns;
  std::vector<Instant> fires;
  bool more = false;  // the newest are left out
};

struct ScheduleFiresReply {
  std::vector<FiresOfSchedule> schedules;  // of the first limits::kPageMax
};

template <>
inline constexpr bool kLeavesOthersOut<ScheduleFiresRequest> = true;

// invalid_argument: the range is empty or longer than kFiresRangeMax.
template <>
struct Record<ScheduleFiresRequest> : Command<kScheduleFires, ScheduleFiresReply> {};

void handle(Context& context, ScheduleFiresRequest request, Reply<ScheduleFiresReply> reply);

}  // namespace muster::command
