#include "command/server_info.h"

#include "command/count_workers.h"

namespace muster::command {

void handle(Context& context, ServerInfoRequest, Reply<ServerInfoReply> reply) {
  ServerInfoReply answer;
  answer.facts = context.facts;
  answer.health = context.engine.admin().health();
  context.engine.admin().info(
      [&engine = context.engine, answer = std::move(answer), reply = std::move(reply)](Result<store::StoreInfo> info) mutable {
        if (!info.ok()) return reply(info.status());
        answer.store = *std::move(info);
        count_workers(engine, [answer = std::move(answer), reply = std::move(reply)](Result<std::uint64_t> workers) mutable {
          if (!workers.ok()) return reply(workers.status());
          answer.workers = *workers;
          reply(std::move(answer));
        });
      });
}

}  // namespace muster::command
