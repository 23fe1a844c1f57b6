#include "command/run_get.h"

#include "command/run_guard.h"

namespace muster::command {

void handle(Context& context, RunGetRequest request, Reply<RunGetReply> reply) {
  with_run(context, request.run, std::move(reply));
}

}  // namespace muster::command
