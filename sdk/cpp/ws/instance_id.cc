#include "sdk/cpp/ws/instance_id.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/uuid.h"
#include "sdk/cpp/ws/errors.h"

namespace muster::sdk::ws {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kIdBytesMax = 128;

Error trouble(Code code, const std::string& path, std::string_view why) {
  return error_of(code, fmt::format("instance file `{}`: {}", path, why));
}

Error system_trouble(const std::string& path) { return trouble(Code::unavailable, path, std::strerror(errno)); }

// The id a file holds: its first line, of characters that fit any wire.
std::optional<std::string> read_id(int fd) {
  std::array<char, kIdBytesMax + 2> bytes{};
  const ssize_t got = ::pread(fd, bytes.data(), bytes.size(), 0);
  if (got <= 0) return std::nullopt;
  std::string text(bytes.data(), static_cast<std::size_t>(got));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  if (text.empty() || text.size() > kIdBytesMax) return std::nullopt;
  for (const char c : text)
    if (c <= 0x20 || c >= 0x7F) return std::nullopt;
  return text;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return ::fsync(fd) == 0;
}

// Writes the file beside its place and links it there, so that it is whole or not there, and nobody's is replaced.
std::optional<Error> make_file(const std::string& path) {
  std::error_code failed;
  if (const fs::path parent = fs::path(path).parent_path(); !parent.empty()) fs::create_directories(parent, failed);
  if (failed) return trouble(Code::unavailable, path, failed.message());
  const std::string beside = fmt::format("{}.{}", path, random_uuid());
  const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (fd < 0) return system_trouble(beside);
  const bool written = write_all(fd, random_uuid() + "\n");
  const Error why = system_trouble(path);
  ::close(fd);
  const bool linked = written && (::link(beside.c_str(), path.c_str()) == 0 || errno == EEXIST);
  const Error why_not = system_trouble(path);
  ::unlink(beside.c_str());
  if (!written) return why;
  if (!linked) return why_not;
  return std::nullopt;
}

}  // namespace

std::string random_uuid() {
  Uuid uuid{.high = random_seed(), .low = random_seed()};
  uuid.high = (uuid.high & ~std::uint64_t{0xF000}) | 0x4000;                           // version 4
  uuid.low = (uuid.low & ~(std::uint64_t{0xC0} << 56)) | (std::uint64_t{0x80} << 56);  // the variant of RFC 9562
  return uuid.text();
}

Result<InstanceId> InstanceId::open(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    if (const auto error = make_file(path)) return *error;
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  }
  if (fd < 0) return system_trouble(path);
  InstanceId out({}, fd);  // closes it on every way out
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
    return errno == EWOULDBLOCK ? trouble(Code::conflict, path, "another worker has it; give each its own")
                                : system_trouble(path);
  const auto text = read_id(fd);
  if (!text) return trouble(Code::corrupt, path, fmt::format("it holds no id of 1 to {} printable characters", kIdBytesMax));
  out.text_ = *text;
  return out;
}

InstanceId::~InstanceId() {
  if (fd_ >= 0) ::close(fd_);
}

InstanceId::InstanceId(InstanceId&& other) noexcept : text_(std::move(other.text_)), fd_(std::exchange(other.fd_, -1)) {}

}  // namespace muster::sdk::ws
