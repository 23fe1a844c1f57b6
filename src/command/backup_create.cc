#include "command/backup_create.h"

namespace muster::command {

void handle(Context& context, BackupCreateRequest request, Reply<BackupCreateReply> reply) {
  if (request.path.empty()) return reply(Status::invalid_argument("path is empty; a file name on the server is needed"));
  if (request.path.find('\0') != std::string::npos) return reply(Status::invalid_argument("path holds a NUL character"));
  context.engine.admin().backup(std::move(request.path), std::move(reply));
}

}  // namespace muster::command
