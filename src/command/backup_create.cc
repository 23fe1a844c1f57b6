#include "command/backup_create.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace muster::command {
namespace {

constexpr std::string_view kNameCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

Status make_folder(const std::string& folder) {
  if (folder.empty()) return Status::unavailable("this server has no folder for backups");
  if (::mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST) return {};
  return Status::unavailable(fmt::format("cannot make the folder of backups: {}", std::strerror(errno)));
}

}  // namespace

Status validate_backup_name(std::string_view name) {
  if (!name.empty() && name.size() <= kBackupNameBytesMax && name.front() != '.' &&
      name.find_first_not_of(kNameCharacters) == std::string_view::npos)
    return {};
  return Status::invalid_argument(fmt::format(
      "name: 1 to {} of letters, digits, '.', '_' and '-' are accepted, not beginning with a dot; the file is written "
      "into the server's folder of backups",
      kBackupNameBytesMax));
}

void handle(Context& context, BackupCreateRequest request, Reply<BackupCreateReply> reply) {
  if (Status allowed = authorize_everywhere(context.caller, kBackupCreate.name); !allowed.ok()) return reply(allowed);
  if (Status valid = validate_backup_name(request.name); !valid.ok()) return reply(valid);
  if (Status made = make_folder(context.facts.backup_folder); !made.ok()) return reply(made);
  context.engine.admin().backup(context.facts.backup_folder + "/" + request.name, std::move(reply));
}

}  // namespace muster::command
