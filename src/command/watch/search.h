// search: whatever has this id or a name that holds this text, of every kind that people look for.
#pragma once

#include <string>
#include <vector>

#include "base/reply.h"
#include "command/context.h"
#include "command/scope.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kServerSearch{
    .name = "server.search",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Find jobs, runs, workers, queues, schedules, plans and actions by id, key or name.",
};

inline constexpr std::size_t kSearchTextMin = 2;    // bytes of what is looked for
inline constexpr std::size_t kSearchTextMax = 256;  // bytes of what is looked for
inline constexpr std::size_t kFoundMax = 20;        // that are told, of each kind

struct SearchRequest {
  NamespaceName ns;  // empty: all
  std::string text;
};

struct Found {
  std::string kind;  // job, run, worker, queue, schedule, plan, action
  NamespaceName ns;
  std::string id;
  std::string title;
  std::string state;  // empty: it has none
};

struct SearchReply {
  std::vector<Found> found;          // ids first
  std::vector<std::string> in_part;  // kinds of which there are more than were looked through
};

template <>
inline constexpr bool kLeavesOthersOut<SearchRequest> = true;

// An id is found wherever it is; names are looked for in the first limits::kPageMax of each kind. invalid_argument: the text is
// too short or too long.
template <>
struct Record<SearchRequest> : Command<kServerSearch, SearchReply> {};

void handle(Context& context, SearchRequest request, Reply<SearchReply> reply);

}  // namespace muster::command
