#include "command/run_list.h"

#include "command/scope.h"

namespace muster::command {

void handle(Context& context, RunListRequest request, Reply<RunListReply> reply) {
  request.query.filter.runs_only = true;
  auto own = only_own(
      context.caller, [](RunListReply & page) -> auto& { return page.jobs; }, std::move(reply));
  context.engine.jobs().list(std::move(request.query), std::move(own));
}

}  // namespace muster::command
