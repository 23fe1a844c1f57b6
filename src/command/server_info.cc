#include "command/server_info.h"

namespace muster::command {

namespace {

// Counts page by page; each page is asked for when the one before has come, so one request never holds more than a page.
void count_workers(engine::Engine& engine, ServerInfoReply so_far, std::string cursor, Reply<ServerInfoReply> reply) {
  store::WorkerQuery query;
  query.states = {WorkerState::online, WorkerState::draining};
  query.limit = limits::kPageMax;
  query.cursor = std::move(cursor);
  engine.workers().list(std::move(query),
                        [&engine, so_far = std::move(so_far), reply = std::move(reply)](Result<store::WorkerPage> page) mutable {
                          if (!page.ok()) return reply(page.status());
                          so_far.workers += page->workers.size();
                          if (page->next.empty()) return reply(std::move(so_far));
                          count_workers(engine, std::move(so_far), std::move(page->next), std::move(reply));
                        });
}

}  // namespace

void handle(Context& context, ServerInfoRequest, Reply<ServerInfoReply> reply) {
  ServerInfoReply answer;
  answer.facts = context.facts;
  answer.health = context.engine.admin().health();
  context.engine.admin().info(
      [&engine = context.engine, answer = std::move(answer), reply = std::move(reply)](Result<store::StoreInfo> info) mutable {
        if (!info.ok()) return reply(info.status());
        answer.store = *std::move(info);
        count_workers(engine, std::move(answer), "", std::move(reply));
      });
}

}  // namespace muster::command
