#include "command/archives.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/sha256.h"
#include "model/package.h"

namespace muster::command {
namespace {

constexpr std::array<std::string_view, 8> kArchiveEndings{".zip", ".cwx",     ".tar",    ".tar.gz",
                                                          ".tgz", ".tar.bz2", ".tar.xz", ".whl"};
constexpr std::string_view kDigestEnding = ".sha256";
constexpr std::size_t kDigestDigits = 64;
constexpr std::size_t kPiece = 256 * 1024;

// A descriptor that closes itself.
class Opened {
 public:
  explicit Opened(int fd = -1) : fd_(fd) {}
  ~Opened() {
    if (fd_ >= 0) ::close(fd_);
  }
  Opened(Opened&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Opened& operator=(Opened&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

bool is_archive(std::string_view file) {
  return std::any_of(kArchiveEndings.begin(), kArchiveEndings.end(), [&](std::string_view end) { return file.ends_with(end); });
}

Status validate_file(std::string_view file) {
  const auto is_accepted = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-' ||
           c == '+';
  };
  if (!file.empty() && file.size() <= kArchiveFileBytesMax && file.front() != '.' &&
      std::all_of(file.begin(), file.end(), is_accepted))
    return {};
  return Status::invalid_argument(fmt::format(
      "the file name is not accepted; 1 to {} of A-Z a-z 0-9 . _ - + are, without a dot in front", kArchiveFileBytesMax));
}

// No component may be a link: what the names say is what is opened.
Opened open_version_folder(const std::string& folder, const ArchiveRef& ref) {
  Opened at(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const std::string& part : {ref.name, ref.version}) {
    if (!at) return at;
    at = Opened(::openat(at.fd(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  return at;
}

// Of an ordinary file within the bound. O_NONBLOCK: a pipe somebody put there does not hold us up.
Result<Opened> open_file(const Opened& folder, const std::string& path, std::size_t bytes_max, int flags = 0) {
  Opened file(::openat(folder ? folder.fd() : AT_FDCWD, path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags));
  if (!file) return Status::not_found(std::strerror(errno));
  struct stat facts {};
  if (::fstat(file.fd(), &facts) != 0 || !S_ISREG(facts.st_mode)) return Status::not_found("it is no file");
  if (static_cast<std::uint64_t>(facts.st_size) > bytes_max)
    return Status::invalid_argument(fmt::format("it has {} bytes; at most {} are accepted", facts.st_size, bytes_max));
  return file;
}

// Hands the bytes over piece by piece; a file that grows meanwhile is refused at the bound.
template <class Take>
Status read_pieces(const Opened& file, std::size_t bytes_max, Take take) {
  std::string piece(kPiece, '\0');
  std::size_t total = 0;
  for (;;) {
    const ssize_t got = ::read(file.fd(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Status::unavailable(fmt::format("it cannot be read: {}", std::strerror(errno)));
    if (got == 0) return {};
    total += static_cast<std::size_t>(got);
    if (total > bytes_max) return Status::invalid_argument(fmt::format("it has more than {} bytes", bytes_max));
    take(std::string_view(piece.data(), static_cast<std::size_t>(got)));
  }
}

Result<std::string> digest_of(const Opened& file, std::size_t bytes_max) {
  Sha256 digest;
  if (Status read = read_pieces(file, bytes_max, [&](std::string_view piece) { digest.add(piece); }); !read.ok()) return read;
  return digest.hex();
}

// The digest that stands in FILE.sha256, if there is one: 64 digits, perhaps with a file name behind them.
Result<std::string> noted_digest(const Opened& folder, const std::string& file) {
  constexpr std::size_t kNoteBytes = 4 * 1024;
  auto note = open_file(folder, file + std::string(kDigestEnding), kNoteBytes, O_NOFOLLOW);
  if (note.code() == Code::not_found) return std::string();
  if (!note.ok()) return note.status();
  std::string text;
  if (Status read = read_pieces(*note, kNoteBytes, [&](std::string_view piece) { text += piece; }); !read.ok()) return read;
  text = lower(text.substr(0, kDigestDigits));
  if (Status valid = validate_sha256(text); !valid.ok()) return valid;
  return text;
}

Result<std::string> only_archive(const Opened& folder) {
  const int copy = ::dup(folder.fd());
  DIR* const listing = copy >= 0 ? ::fdopendir(copy) : nullptr;
  if (listing == nullptr) {
    if (copy >= 0) ::close(copy);
    return Status::unavailable("its folder cannot be read");
  }
  std::vector<std::string> found;
  std::size_t seen = 0;
  while (const dirent* entry = ::readdir(listing)) {
    if (++seen > kArchiveFilesMax) break;
    if (is_archive(entry->d_name) && validate_file(entry->d_name).ok()) found.emplace_back(entry->d_name);
  }
  ::closedir(listing);
  std::sort(found.begin(), found.end());
  if (found.empty()) return Status::not_found("its folder holds no archive");
  if (found.size() > 1)
    return Status::invalid_argument(
        fmt::format("there are {} archives, such as {} and {}; name the file", found.size(), found[0], found[1]));
  return found.front();
}

Status validate_ref(const ArchiveRef& ref) {
  if (Status status = validate_package_name(ref.name); !status.ok()) return status;
  if (Status status = validate_package_version(ref.version); !status.ok()) return status;
  return ref.file.empty() ? Status() : validate_file(ref.file);
}

std::string about(const ArchiveRef& ref) { return fmt::format("the archive of {} {}", ref.name, ref.version); }

// The path of a file:// url of this machine.
std::optional<std::string> local_path(std::string_view url) {
  constexpr std::string_view kScheme = "file://";
  if (!url.starts_with(kScheme)) return std::nullopt;
  url.remove_prefix(kScheme.size());
  if (constexpr std::string_view kHost = "localhost"; url.starts_with(kHost)) url.remove_prefix(kHost.size());
  if (url.empty() || url.front() != '/') return std::nullopt;
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); };
  std::string path;
  for (std::size_t i = 0; i < url.size(); ++i) {
    if (url[i] == '%' && i + 2 < url.size() && is_hex(url[i + 1]) && is_hex(url[i + 2])) {
      path += static_cast<char>(digit(url[i + 1]) * 16 + digit(url[i + 2]));
      i += 2;
    } else {
      path += url[i];
    }
  }
  if (path.find('\0') != std::string::npos) return std::nullopt;
  return path;
}

std::string file_url(const std::string& folder) {
  std::error_code error;
  const std::string path = std::filesystem::absolute(folder, error).string();
  std::string out = "file://";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/._-~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

Result<CheckedArchive> find_archive(const Archives::Options& options, ArchiveRef ref, const std::string& sha256) {
  const Opened folder = open_version_folder(options.folder, ref);
  if (!folder) return Status::invalid_argument(about(ref) + ": there is no folder of it; put it there, or give a url");
  if (ref.file.empty()) {
    auto only = only_archive(folder);
    if (!only.ok()) return Status::invalid_argument(about(ref) + ": " + only.status().message());
    ref.file = *std::move(only);
  }
  const auto file = open_file(folder, ref.file, options.bytes_max, O_NOFOLLOW);
  if (!file.ok()) return Status::invalid_argument(fmt::format("{}, {}: {}", about(ref), ref.file, file.status().message()));
  auto digest = digest_of(*file, options.bytes_max);
  if (!digest.ok()) return digest.status().annotate(about(ref));
  const auto noted = noted_digest(folder, ref.file);
  if (!noted.ok())
    return Status::invalid_argument(fmt::format("{}, {}.sha256: {}", about(ref), ref.file, noted.status().message()));
  for (const std::string& wanted : {lower(sha256), *noted})
    if (!wanted.empty() && wanted != *digest)
      return Status::invalid_argument(fmt::format("{}, {}: its sha256 is {} and not {}", about(ref), ref.file, *digest, wanted));
  const std::string base = options.url.empty() ? file_url(options.folder) : options.url;
  return CheckedArchive{fmt::format("{}{}{}/{}/{}", base, base.ends_with('/') ? "" : "/", ref.name, ref.version, ref.file),
                        *std::move(digest)};
}

Result<CheckedArchive> check_url(const Archives::Options& options, std::string url, const std::string& sha256) {
  CheckedArchive out{std::move(url), lower(sha256)};
  const auto path = out.sha256.empty() ? std::nullopt : local_path(out.url);
  if (!path) return out;
  const auto file = open_file(Opened(), *path, options.bytes_max);
  // The worker may be on another machine, which has the file; what is here is checked.
  if (file.code() == Code::not_found) return out;
  if (!file.ok()) return file.status().annotate("the file of the url");
  const auto digest = digest_of(*file, options.bytes_max);
  if (!digest.ok()) return digest.status().annotate("the file of the url");
  if (*digest != out.sha256) return Status::invalid_argument("the file of the url has another sha256 than was given");
  return out;
}

Result<ArchiveBytes> read_archive(const Archives::Options& options, const ArchiveRef& ref) {
  const Opened folder = open_version_folder(options.folder, ref);
  const auto file =
      folder ? open_file(folder, ref.file, options.bytes_max, O_NOFOLLOW) : Result<Opened>(Status::not_found("no folder"));
  if (!file.ok()) return Status::not_found(fmt::format("there is no {} of {} {}", ref.file, ref.name, ref.version));
  ArchiveBytes out;
  if (Status read = read_pieces(*file, options.bytes_max, [&](std::string_view piece) { out.bytes += piece; }); !read.ok())
    return read;
  return out;
}

}  // namespace

Archives::Archives(Options options) : options_(std::move(options)) {
  thread_ = std::thread([this] {
    while (auto work = waiting_.pop()) (*work)();
  });
}

Archives::~Archives() {
  waiting_.close();
  thread_.join();
}

template <class T, class Work>
void Archives::later(Reply<T> reply, Work work) {
  auto shared = std::make_shared<Reply<T>>(std::move(reply));  // shared with the refusal below
  const bool taken = waiting_.try_push([shared, work = std::move(work)]() mutable {
    std::optional<Result<T>> done;
    try {
      done.emplace(work());
    } catch (const std::exception& thrown) {  // memory, at most; the thread goes on
      done.emplace(Status::internal(fmt::format("an archive was not read: {}", thrown.what())));
    }
    (*shared)(*std::move(done));
  });
  if (!taken) (*shared)(Status::exhausted(fmt::format("{} archives are waiting to be read; try again", kArchiveWaitingMax)));
}

void Archives::find(ArchiveRef ref, std::string sha256, Reply<CheckedArchive> reply) {
  if (Status status = validate_ref(ref); !status.ok()) return reply(status);
  later<CheckedArchive>(std::move(reply),
                        [this, ref = std::move(ref), sha256 = std::move(sha256)] { return find_archive(options_, ref, sha256); });
}

void Archives::check(std::string url, std::string sha256, Reply<CheckedArchive> reply) {
  later<CheckedArchive>(std::move(reply),
                        [this, url = std::move(url), sha256 = std::move(sha256)] { return check_url(options_, url, sha256); });
}

void Archives::read(ArchiveRef ref, Reply<ArchiveBytes> reply) {
  if (Status status = validate_ref(ref); !status.ok()) return reply(status);
  if (ref.file.empty()) return reply(Status::not_found("an archive is read by its name"));
  later<ArchiveBytes>(std::move(reply), [this, ref = std::move(ref)] { return read_archive(options_, ref); });
}

}  // namespace muster::command
