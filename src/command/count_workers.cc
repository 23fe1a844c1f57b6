#include "command/count_workers.h"

#include <string>

#include "model/limits.h"

namespace muster::command {
namespace {

// Counts page by page; each page is asked for when the one before has come, so one request never holds more than a page.
void count_from(engine::Engine& engine, std::string cursor, std::uint64_t so_far, Reply<std::uint64_t> reply) {
  store::WorkerQuery query;
  query.states = {WorkerState::online, WorkerState::draining};
  query.limit = limits::kPageMax;
  query.cursor = std::move(cursor);
  engine.workers().list(std::move(query), [&engine, so_far, reply = std::move(reply)](Result<store::WorkerPage> page) mutable {
    if (!page.ok()) return reply(page.status());
    const std::uint64_t count = so_far + page->workers.size();
    if (page->next.empty()) return reply(count);
    count_from(engine, std::move(page->next), count, std::move(reply));
  });
}

}  // namespace

void count_workers(engine::Engine& engine, Reply<std::uint64_t> reply) { count_from(engine, "", 0, std::move(reply)); }

}  // namespace muster::command
