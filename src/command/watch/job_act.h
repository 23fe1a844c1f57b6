// job.act: what is done to every job that matches a filter, slice by slice, after it was counted.
//
// A dry run counts. Whoever then acts may say how many were counted: when more match by now, nothing is done. The newest come
// first, so that what arrives meanwhile is not met.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"
#include "command/target.h"

namespace muster::command {

inline constexpr Spec kJobAct{
    .name = "job.act",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Count, cancel or re-drive the jobs that match a filter.",
};

inline constexpr std::size_t kActSliceMax = 1'000;
inline constexpr std::size_t kActSliceDefault = 500;
inline constexpr std::size_t kActCountMax = 10'000;  // counting stops there
inline constexpr std::size_t kActPagesMax = 100;     // pages that one count reads

struct JobActRequest {
  enum class Action : std::uint8_t { cancel, retry };

  Action action = Action::cancel;
  // Its states are narrowed to those the action is about: unfinished ones to cancel, dead or cancelled ones to retry. None given:
  // all unfinished ones; dead ones.
  store::JobFilter filter;
  bool dry_run = false;
  std::size_t limit = kActSliceDefault;
  std::string cursor;                     // `next` of the slice before
  std::string reason;                     // of a cancel
  std::optional<std::uint64_t> expected;  // of the first slice: what was counted
};

struct JobActed {
  bool dry_run = false;
  std::uint64_t matched = 0;  // of a dry run: all, else: this slice's
  bool more = false;          // of a dry run: there are more than were counted
  std::uint64_t changed = 0;
  std::uint64_t skipped = 0;  // they had moved on
  std::string next;           // cursor of the next slice; empty: that was the last
};
using JobActReply = JobActed;

// conflict: more match than were expected. invalid_argument: a bad cursor or limit.
template <>
struct Record<JobActRequest> : Command<kJobAct, JobActReply> {};

// "cancel default/mail", "count what retry would take of default/".
inline std::string target_of(const JobActRequest& request) {
  const std::string verb = request.action == JobActRequest::Action::cancel ? "cancel" : "retry";
  const std::string where = in_namespace(request.filter.ns, request.filter.queue.text());
  return request.dry_run ? "count what " + verb + " would take of " + where : verb + " " + where;
}

void handle(Context& context, JobActRequest request, Reply<JobActReply> reply);

}  // namespace muster::command
