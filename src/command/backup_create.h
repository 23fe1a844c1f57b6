// backup.create: a consistent copy of the store while work goes on. The caller gives a name, never a place: whoever holds a token
// may not choose where the server writes.
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

inline constexpr std::size_t kBackupNameBytesMax = 128;

struct BackupCreateRequest {
  std::string name;  // of a file in ServerFacts::backup_folder
};
using BackupCreateReply = store::BackupReport;

// invalid_argument: a name that is empty, too long, begins with a dot or holds more than letters, digits, '.', '_' and '-'.
Status validate_backup_name(std::string_view name);

// already_exists: a file of that name. unavailable: the folder cannot be made.
void handle(Context& context, BackupCreateRequest request, Reply<BackupCreateReply> reply);

}  // namespace muster::command
