#include "server/history_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/fd.h"
#include "base/log.h"

namespace muster::server {
namespace {

Status cannot(std::string_view verb, const std::string& path) {
  return Status::unavailable(fmt::format("cannot {} {}: {}", verb, path, std::strerror(errno)));
}

// One byte more than there may be is enough to know that it is none of ours.
std::string read_at_most(std::ifstream& in, std::size_t bytes) {
  std::string out(bytes + 1, '\0');
  in.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(in.gcount()));
  return out;
}

}  // namespace

HistoryFile::HistoryFile(std::string path, engine::History& history, const Clock& clock)
    : path_(std::move(path)), history_(history), clock_(clock), kept_at_(clock.elapsed()) {}

void HistoryFile::load() {
  std::ifstream in(path_, std::ios::binary);
  if (!in) return;
  if (const Status restored = history_.restore(read_at_most(in, engine::kHistoryImageBytesMax)); !restored.ok())
    log::warn("the history of figures begins anew", {{"path", path_}, {"detail", restored.message()}});
}

void HistoryFile::keep_when_due() {
  if (clock_.elapsed() - kept_at_ >= kHistoryKeptEvery) keep();
}

void HistoryFile::keep() {
  kept_at_ = clock_.elapsed();
  const Status written = write(history_.image());
  if (!written.ok() && !said_) log::warn("the history of figures is not kept", {{"detail", written.message()}});
  said_ = !written.ok();
}

Status HistoryFile::write(const std::string& image) const {
  const std::string draft = path_ + ".new";
  const Fd file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file.valid()) return cannot("write", draft);
  for (std::size_t at = 0; at < image.size();) {
    const ssize_t count = ::write(file.get(), image.data() + at, image.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return cannot("write", draft);
    at += static_cast<std::size_t>(count);
  }
  if (std::rename(draft.c_str(), path_.c_str()) != 0) return cannot("replace", path_);
  return {};
}

}  // namespace muster::server
