// Schedules: jobs by the calendar.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

// schedule.create: work that is to be enqueued again and again.
inline constexpr Spec kScheduleCreate{
    .name = "schedule.create",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Create a schedule: a timing, and the job or run it enqueues.",
};

struct ScheduleCreateRequest {
  ScheduleSpec schedule;
};
using ScheduleCreateReply = Schedule;

// invalid_argument: the timing, with the field that is wrong, or the template. already_exists: the id.
template <>
struct Record<ScheduleCreateRequest> : Command<kScheduleCreate, ScheduleCreateReply> {};

void handle(Context& context, ScheduleCreateRequest request, Reply<ScheduleCreateReply> reply);

// schedule.get: one schedule with its template and its counts.
inline constexpr Spec kScheduleGet{
    .name = "schedule.get",
    .since = "0.3",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show one schedule.",
};

struct ScheduleGetRequest {
  NamespaceName ns{kDefaultNamespace};
  ScheduleId id;
};
using ScheduleGetReply = Schedule;

template <>
struct Record<ScheduleGetRequest> : Command<kScheduleGet, ScheduleGetReply> {};

void handle(Context& context, ScheduleGetRequest request, Reply<ScheduleGetReply> reply);

// schedule.list: a page of schedules, the newest first.
inline constexpr Spec kScheduleList{
    .name = "schedule.list",
    .since = "0.3",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List schedules, newest first.",
};

using ScheduleListRequest = store::ScheduleQuery;
using ScheduleListReply = store::SchedulePage;

template <>
struct Record<ScheduleListRequest> : Command<kScheduleList, ScheduleListReply> {};

void handle(Context& context, ScheduleListRequest request, Reply<ScheduleListReply> reply);

// schedule.update: changes what is given and leaves the rest.
inline constexpr Spec kScheduleUpdate{
    .name = "schedule.update",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Change a schedule; what is not given stays.",
};

using ScheduleUpdateRequest = engine::ScheduleChange;
using ScheduleUpdateReply = Schedule;

template <>
struct Record<ScheduleUpdateRequest> : Command<kScheduleUpdate, ScheduleUpdateReply> {};

void handle(Context& context, ScheduleUpdateRequest request, Reply<ScheduleUpdateReply> reply);

// schedule.delete: no further fires; the jobs it started stay.
inline constexpr Spec kScheduleDelete{
    .name = "schedule.delete",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Delete a schedule; the jobs it started stay.",
};

struct ScheduleDeleteRequest {
  NamespaceName ns{kDefaultNamespace};
  ScheduleId id;
};
using ScheduleDeleteReply = Schedule;

template <>
struct Record<ScheduleDeleteRequest> : Command<kScheduleDelete, ScheduleDeleteReply> {};

void handle(Context& context, ScheduleDeleteRequest request, Reply<ScheduleDeleteReply> reply);

// schedule.pause: no fires until it is resumed.
inline constexpr Spec kSchedulePause{
    .name = "schedule.pause",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Stop a schedule from firing until it is resumed.",
};

struct SchedulePauseRequest {
  NamespaceName ns{kDefaultNamespace};
  ScheduleId id;
  std::optional<std::string> note;  // why, for people
};
using SchedulePauseReply = Schedule;

template <>
struct Record<SchedulePauseRequest> : Command<kSchedulePause, SchedulePauseReply> {};

void handle(Context& context, SchedulePauseRequest request, Reply<SchedulePauseReply> reply);

// schedule.resume: a paused schedule fires again.
inline constexpr Spec kScheduleResume{
    .name = "schedule.resume",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Let a paused schedule fire again, from now or with what it missed.",
};

struct ScheduleResumeRequest {
  NamespaceName ns{kDefaultNamespace};
  ScheduleId id;
  std::optional<std::string> note;
  bool catch_up = false;  // make up for what was missed meanwhile, within catchup_max
};
using ScheduleResumeReply = Schedule;

template <>
struct Record<ScheduleResumeRequest> : Command<kScheduleResume, ScheduleResumeReply> {};

void handle(Context& context, ScheduleResumeRequest request, Reply<ScheduleResumeReply> reply);

// schedule.trigger: one job now, whatever the timing says.
inline constexpr Spec kScheduleTrigger{
    .name = "schedule.trigger",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Enqueue one job of a schedule now; its fires are not touched.",
};

struct ScheduleTriggerRequest {
  NamespaceName ns{kDefaultNamespace};
  ScheduleId id;
};
using ScheduleTriggerReply = store::Enqueued;

template <>
struct Record<ScheduleTriggerRequest> : Command<kScheduleTrigger, ScheduleTriggerReply> {};

void handle(Context& context, ScheduleTriggerRequest request, Reply<ScheduleTriggerReply> reply);

// schedule.backfill: the fires of a time that is over, each made once.
inline constexpr Spec kScheduleBackfill{
    .name = "schedule.backfill",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Enqueue the fires of a range of time, each once however often it is asked for.",
};

using ScheduleBackfillRequest = engine::ScheduleRange;
using ScheduleBackfillReply = std::vector<store::Enqueued>;

// exhausted: more than limits::kBackfillMax fires.
template <>
struct Record<ScheduleBackfillRequest> : Command<kScheduleBackfill, ScheduleBackfillReply> {};

void handle(Context& context, ScheduleBackfillRequest request, Reply<ScheduleBackfillReply> reply);

// schedule.preview: when a schedule will fire.
inline constexpr Spec kSchedulePreview{
    .name = "schedule.preview",
    .since = "0.3",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
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

template <>
struct Record<SchedulePreviewRequest> : Command<kSchedulePreview, SchedulePreviewReply> {};

void handle(Context& context, SchedulePreviewRequest request, Reply<SchedulePreviewReply> reply);

}  // namespace muster::command
