#include "fronts/resp/work/access.h"

#include <fmt/format.h>

#include "fronts/resp/core.h"
#include "fronts/resp/work/names.h"
#include "fronts/resp/work/work.h"
#include "plan/plan.h"

namespace muster::resp::work {

Status may_act_as(const Client& client, const WorkerId& worker) {
  const WorkerId& own = client.caller.worker;
  if (own.empty() || own == worker) return {};
  return Status::permission_denied(fmt::format("this key acts as worker '{}' only", own.text()));
}

void refuse(const CallRef& call, const Status& status) { call->fail(error_text(status)); }

Status validate_pinged_id(std::string_view id) {
  if (Status status = plan::validate_identifier("worker_id", id); !status.ok()) return status;
  if (id.starts_with(kAnonymousPrefix))
    return Status::invalid_argument(fmt::format("worker_id must not begin with '{}'", kAnonymousPrefix));
  return {};
}

}  // namespace muster::resp::work
