// backup.create: a consistent copy of the store while work goes on.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kBackupCreate{
    .name = "backup.create",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = true,
    .summary = "Write a consistent copy of the store to a file on the server.",
};

struct BackupCreateRequest {
  std::string path;  // relative to the store's folder unless absolute
};
using BackupCreateReply = store::BackupReport;

void handle(Context& context, BackupCreateRequest request, Reply<BackupCreateReply> reply);

}  // namespace muster::command
