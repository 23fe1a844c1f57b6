// schedule.preview: when a schedule will fire.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kSchedulePreview{
    .name = "schedule.preview",
    .since = "0.3",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "Show the next fires of a schedule.",
};

inline constexpr std::size_t kPreviewDefault = 10;

struct SchedulePreviewRequest {
  NamespaceName ns{kDefaultNamespace};
  ScheduleId id;
  std::size_t count = kPreviewDefault;
  std::optional<Instant> after;  // empty: now
};
using SchedulePreviewReply = std::vector<Instant>;

void handle(Context& context, SchedulePreviewRequest request, Reply<SchedulePreviewReply> reply);

}  // namespace muster::command
