// Reads views from the registry and the queues, where the truth is; nothing is copied or kept.
//
//   read_worker.cc  worker:*, capability:*, workers:all
//   read_job.cc     job:*
//   read_plan.cc    plan:*, action:*, plans:all, actions:all
//   read_queue.cc   queue:*
#pragma once

#include "base/status.h"
#include "base/unique_function.h"
#include "fronts/resp/call.h"
#include "fronts/resp/views/view.h"
#include "fronts/resp/views/view_key.h"

namespace muster::resp::views {

inline constexpr Duration kStatsKept{120'000};           // of a worker, after its last heartbeat
inline constexpr const char* kGoodbye = "unregistered";  // Worker::offline_cause of one that leaves nothing behind

using ReadThen = UniqueFunction<void(Result<View>)>;

// On the loop's thread. exhausted: more elements than plans::kCollectedMax would have to be shown.
void read_view(const CallRef& call, const ViewKey& key, const Want& want, ReadThen then);

// --- its parts ---
void read_worker(const CallRef& call, const ViewKey& key, const Want& want, ReadThen then);
void read_capability(const CallRef& call, const ViewKey& key, const Want& want, ReadThen then);
void read_all_workers(const CallRef& call, const Want& want, ReadThen then);
void read_job(const CallRef& call, const ViewKey& key, const Want& want, ReadThen then);
void read_plan(const CallRef& call, const ViewKey& key, const Want& want, ReadThen then);
void read_action(const CallRef& call, const ViewKey& key, const Want& want, ReadThen then);
void read_all_plans(const CallRef& call, const Want& want, ReadThen then);
void read_all_actions(const CallRef& call, const Want& want, ReadThen then);
void read_queue(const CallRef& call, const ViewKey& key, const Want& want, ReadThen then);

// What the views are put together with.
View absent(std::initializer_list<store::KeyType> forms);
View text_view(std::string text);
View hash_view(std::vector<store::KeyPair> fields);          // sorted here
View scores_view(std::vector<store::ScoredMember> members);  // sorted here
View list_view(std::uint64_t count);                         // its elements are filled in later
Status too_many(std::uint64_t elements);

}  // namespace muster::resp::views
