#include "command/worker_list.h"

#include "command/scope.h"

namespace muster::command {

void handle(Context& context, WorkerListRequest request, Reply<WorkerListReply> reply) {
  auto own = only_own(
      context.caller, [](WorkerListReply & page) -> auto& { return page.workers; }, std::move(reply));
  context.engine.workers().list(std::move(request), std::move(own));
}

}  // namespace muster::command
