// Runs and schedules are not part of this store: tests of those use the real one.
#include "fronts/http/memory_store_testing.h"

namespace muster::http {
namespace {

Status absent() { return Status::unavailable("this store has no runs and no schedules"); }

}  // namespace

void MemoryStore::find_holders(NamespaceName, std::vector<std::string>, Reply<store::Each<JobId>> reply) { reply(absent()); }
void MemoryStore::count_jobs(store::JobFilter, Reply<std::vector<store::JobCount>> reply) { reply(absent()); }
void MemoryStore::run_steps(std::vector<store::StepCall>, Reply<store::Each<store::StepAnswer>> reply) { reply(absent()); }
void MemoryStore::list_steps(store::StepQuery, Reply<store::StepPage> reply) { reply(absent()); }
void MemoryStore::signal_runs(std::vector<store::Signal>, Reply<store::Each<store::Signalled>> reply) { reply(absent()); }
void MemoryStore::wake_runs(std::vector<JobId>, Reply<store::Each<store::Settled>> reply) { reply(absent()); }
void MemoryStore::create_schedule(Schedule, Reply<Schedule> reply) { reply(absent()); }
void MemoryStore::update_schedule(Schedule, Reply<Schedule> reply) { reply(absent()); }
void MemoryStore::get_schedules(NamespaceName, std::vector<ScheduleId>, Reply<store::Each<Schedule>> reply) { reply(absent()); }
void MemoryStore::list_schedules(store::ScheduleQuery, Reply<store::SchedulePage> reply) { reply(absent()); }
void MemoryStore::delete_schedule(NamespaceName, ScheduleId, Reply<Schedule> reply) { reply(absent()); }
void MemoryStore::due_schedules(std::size_t, Reply<store::DueSchedules> reply) { reply(absent()); }
void MemoryStore::fire_schedule(store::ScheduleFire, Reply<store::ScheduleFired> reply) { reply(absent()); }
void MemoryStore::update_namespace(NamespaceChange, Reply<NamespaceInfo> reply) { reply(absent()); }

}  // namespace muster::http
