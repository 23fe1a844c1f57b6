#include "worker/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "base/log.h"

namespace muster::worker {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kResult = ".result";
constexpr std::string_view kDraft = ".draft";
constexpr std::string_view kRefused = ".refused";
constexpr const char* kIdentity = "worker-id";
constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;
constexpr std::size_t kNumberDigits = 16;

Status cannot(std::string_view verb, const std::string& path, int error) {
  return Status::unavailable(fmt::format("cannot {} {}: {}", verb, path, std::strerror(error)));
}

Status write_synced(const std::string& path, std::string_view bytes) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerOnly));
  if (!file.valid()) return cannot("write", path, errno);
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return cannot("write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file.get()) != 0) return cannot("sync", path, errno);
  return {};
}

Status sync_folder(const std::string& folder) {
  const Fd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.valid() || ::fsync(opened.get()) != 0) return cannot("sync", folder, errno);
  return {};
}

std::optional<std::string> read_whole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// A line of JSON that says how long the parts after it are, then the parts.
std::string encoded(const Report& report) {
  const json header{{"job_id", report.job_id},
                    {"update_bytes", report.update.size()},
                    {"has_outputs", report.has_outputs},
                    {"out_bytes", report.out.size()},
                    {"err_bytes", report.err.size()}};
  std::string bytes = header.dump(-1, ' ', true, json::error_handler_t::replace);
  bytes.reserve(bytes.size() + 1 + report.update.size() + report.out.size() + report.err.size());
  return bytes.append("\n").append(report.update).append(report.out).append(report.err);
}

std::optional<Report> decoded(std::string_view bytes) {
  const std::size_t line = bytes.find('\n');
  if (line == bytes.npos) return std::nullopt;
  const auto header = muster::json::parse_object(bytes.substr(0, line));
  const std::string* const job_id = header ? muster::json::text(*header, "job_id") : nullptr;
  if (job_id == nullptr) return std::nullopt;
  const auto update = muster::json::natural(*header, "update_bytes");
  const auto out = muster::json::natural(*header, "out_bytes");
  const auto err = muster::json::natural(*header, "err_bytes");
  const std::string_view rest = bytes.substr(line + 1);
  if (!update || !out || !err || *update > rest.size() || *out > rest.size() || rest.size() != *update + *out + *err)
    return std::nullopt;
  return Report{.job_id = *job_id,
                .update = std::string(rest.substr(0, *update)),
                .has_outputs = muster::json::flag(*header, "has_outputs").value_or(false),
                .out = std::string(rest.substr(*update, *out)),
                .err = std::string(rest.substr(*update + *out))};
}

std::optional<std::uint64_t> number_of(std::string_view name) {
  std::uint64_t number = 0;
  if (std::from_chars(name.data(), name.data() + name.size(), number).ec != std::errc()) return std::nullopt;
  return number;
}

}  // namespace

Result<std::unique_ptr<Spool>> Spool::open(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Status::unavailable(fmt::format("cannot make the spool {}: {}", folder, error.message()));
  fs::permissions(folder, fs::perms::owner_all, error);
  const std::string lock_path = folder + "/lock";
  Fd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly));
  if (!lock.valid()) return cannot("open", lock_path, errno);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return Status::conflict(fmt::format("the spool {} belongs to another worker that is running", folder));
  std::unique_ptr<Spool> spool(new Spool(folder, std::move(lock)));
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    std::error_code ignored;
    if (name.ends_with(kDraft)) fs::remove(entry.path(), ignored);  // of a crash; its job runs again
    if (const auto number = number_of(name)) spool->next_ = std::max(spool->next_.load(), *number + 1);
  }
  return spool;
}

Result<std::unique_ptr<Spool>> Spool::open_any(const std::string& parent) {
  for (std::size_t i = 1; i <= kSpoolFolders; ++i) {
    auto spool = open(fmt::format("{}/{}", parent, i));
    if (spool.ok() || spool.code() != Code::conflict) return spool;
  }
  return Status::exhausted(fmt::format("all {} spools in {} are in use; choose one with --spool", kSpoolFolders, parent));
}

std::optional<std::string> Spool::identity() const {
  auto text = read_whole(path(kIdentity));
  if (!text) return std::nullopt;
  while (!text->empty() && text->back() == '\n') text->pop_back();
  if (text->empty()) return std::nullopt;
  return text;
}

Status Spool::keep_identity(const std::string& id) { return write_file(kIdentity, id + "\n"); }

Status Spool::write_file(const std::string& name, std::string_view bytes) {
  const std::string draft = path(name) + std::string(kDraft);
  if (Status status = write_synced(draft, bytes); !status.ok()) {
    ::unlink(draft.c_str());
    return status;
  }
  if (::rename(draft.c_str(), path(name).c_str()) != 0) return cannot("rename", draft, errno);
  return sync_folder(folder_);
}

Result<std::string> Spool::put(const Report& report) {
  const std::string name = fmt::format("{:0{}}{}", next_.fetch_add(1), kNumberDigits, kResult);
  if (Status status = write_file(name, encoded(report)); !status.ok()) return status;
  return name;
}

std::vector<std::string> Spool::list() const {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored))
    if (std::string name = entry.path().filename().string(); name.ends_with(kResult)) names.push_back(std::move(name));
  std::sort(names.begin(), names.end());
  return names;
}

Result<Report> Spool::read(const std::string& name) {
  const auto bytes = read_whole(path(name));
  if (!bytes) return Status::unavailable(fmt::format("cannot read {}", path(name)));
  auto report = decoded(*bytes);
  if (report) return std::move(*report);
  set_aside(name);
  return Status::corrupt(fmt::format("{} is not a result", path(name)));
}

void Spool::remove(const std::string& name) {
  // Not synced: a result that comes back after a crash is delivered again, and the server says that it has it.
  if (::unlink(path(name).c_str()) != 0) log::warn("a delivered result stays in the spool", {{"file", path(name)}});
}

void Spool::set_aside(const std::string& name) {
  if (::rename(path(name).c_str(), (path(name) + std::string(kRefused)).c_str()) != 0)
    log::warn("a refused result stays in the spool", {{"file", path(name)}});
}

}  // namespace muster::worker
