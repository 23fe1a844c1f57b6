#include "command/run_list.h"

namespace muster::command {

void handle(Context& context, RunListRequest request, Reply<RunListReply> reply) {
  request.query.filter.runs_only = true;
  context.engine.jobs().list(std::move(request.query), std::move(reply));
}

}  // namespace muster::command
