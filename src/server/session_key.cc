#include "server/session_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

namespace muster::server {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;

Status cannot(std::string_view verb, const std::string& path, int error) {
  return Status::unavailable(fmt::format("cannot {} the key file {}: {}", verb, path, std::strerror(error)));
}

Result<std::string> fresh_key() {
  std::array<unsigned char, kKeyBytes> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    return Status::unavailable("the operating system gave no random bytes for a session key");
  std::string out;
  for (const unsigned char byte : bytes) out += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return out;
}

// nullopt: there is no file.
Result<std::optional<std::string>> read_key(const std::string& path) {
  std::ifstream in(path);
  if (!in) {
    if (errno == ENOENT) return std::optional<std::string>();
    return cannot("read", path, errno);
  }
  std::string text;
  in >> text;
  if (text.empty() || !parse_setting(*find_setting("auth", "session_key"), text).ok())
    return Status::invalid_argument(
        fmt::format("the key file {} holds no key of 64 hexadecimal digits: delete it to get a new one", path));
  return std::optional(text);
}

// Written beside its place and linked into it, so that a crash leaves no half key and two starters agree on one.
Result<std::string> write_key(const std::string& path) {
  auto key = fresh_key();
  if (!key.ok()) return key.status();
  const std::string draft = fmt::format("{}.{}", path, ::getpid());
  const int fd = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly);
  if (fd < 0) return cannot("write", path, errno);
  const std::string line = *key + "\n";
  const bool written = ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size()) && ::fsync(fd) == 0;
  const int write_error = errno;
  ::close(fd);
  const bool placed = written && ::link(draft.c_str(), path.c_str()) == 0;
  const int link_error = errno;
  ::unlink(draft.c_str());
  if (!written) return cannot("write", path, write_error);
  if (placed) return key;
  if (link_error != EEXIST) return cannot("write", path, link_error);
  auto other = read_key(path);
  if (!other.ok()) return other.status();
  if (!other->has_value()) return cannot("read", path, ENOENT);
  return **other;
}

}  // namespace

Result<SessionKey> session_key(const Config& config) {
  if (const std::string& configured = config.text("auth", "session_key"); !configured.empty())
    return SessionKey{.text = configured, .path = "", .generated = false};
  const std::string path = config.session_key_path();
  auto found = read_key(path);
  if (!found.ok()) return found.status();
  if (found->has_value()) return SessionKey{.text = **found, .path = path, .generated = false};
  auto made = write_key(path);
  if (!made.ok()) return made.status();
  return SessionKey{.text = *made, .path = path, .generated = true};
}

}  // namespace muster::server
