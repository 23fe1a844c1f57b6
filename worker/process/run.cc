#include "worker/process/run.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace muster::worker {
namespace {

constexpr std::size_t kChunk = 64 * 1024;
constexpr Duration kPollMax{60'000};

Status no_pipe() { return Status::unavailable(std::strerror(errno)); }

struct Pipe {
  Fd read;
  Fd write;
  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = Fd(ends[0]);
    write = Fd(ends[1]);
    return true;
  }
};

void make_nonblocking(const Fd& fd) { ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK); }

// One tool under way. Used by one thread, from start() to the end of watch().
class Watch {
 public:
  Watch(const RunRequest& request, const Cancel& cancel, const Clock& clock)
      : request_(request), cancel_(cancel), clock_(clock), began_(clock.elapsed()) {
    result_.out = Capture(request.bounds);
    result_.err = Capture(request.bounds);
  }

  RunResult run() {
    result_.started = start();
    if (result_.started.ok()) watch();
    result_.took = since(began_);
    return std::move(result_);
  }

 private:
  enum class Ending : std::uint8_t { none, asked, killed };

  Duration since(Ticks then) const { return std::chrono::duration_cast<Duration>(clock_.elapsed() - then); }

  Status start() {
    Pipe out;
    Pipe err;
    Pipe in;
    Fd source;
    if (!out.open() || !err.open()) return no_pipe();
    if (request_.input == nullptr) {
      source = Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    } else if (request_.input->spilled()) {
      auto file = request_.input->reopen();
      if (!file.ok()) return file.status();
      source = std::move(*file);
    } else {
      if (!in.open()) return no_pipe();
      source = std::move(in.read);
      left_ = request_.input->head();
    }
    if (!source.valid()) return no_pipe();
    auto process = spawn(request_.launch, {.in = source.get(), .out = out.write.get(), .err = err.write.get()});
    if (!process.ok()) return process.status();
    process_ = std::move(*process);
    out_ = std::move(out.read);
    err_ = std::move(err.read);
    in_ = std::move(in.write);
    for (const Fd* fd : {&out_, &err_, &in_})
      if (fd->valid()) make_nonblocking(*fd);
    if (left_.empty()) in_.reset();
    return {};
  }

  void watch() {
    while (process_.handle.valid() || out_.valid() || err_.valid()) {
      if (!process_.handle.valid() && since(ended_) >= kDrainGrace) break;  // somebody who left the group holds them open
      enforce();
      std::array<pollfd, 5> polled{pollfd{process_.handle.get(), POLLIN, 0}, pollfd{out_.get(), POLLIN, 0},
                                   pollfd{err_.get(), POLLIN, 0}, pollfd{in_.get(), POLLOUT, 0},
                                   pollfd{cancel_seen_ ? -1 : cancel_.fd(), POLLIN, 0}};
      if (::poll(polled.data(), polled.size(), static_cast<int>(wait().count())) < 0 && errno != EINTR) break;
      if (polled[1].revents != 0) take(out_, result_.out);
      if (polled[2].revents != 0) take(err_, result_.err);
      if (polled[3].revents != 0) feed();
      if (polled[0].revents != 0) ended();
    }
    if (process_.handle.valid()) {
      signal_group(process_, SIGKILL);
      ended();
    }
  }

  // Ends the tool when its time is over, when it was cancelled, or when its output has no place; then insists.
  void enforce() {
    if (!process_.handle.valid()) return;
    if (ending_ == Ending::none) {
      const bool late = request_.timeout.count() > 0 && since(began_) >= request_.timeout;
      if (cancel_.cancelled()) {
        cancel_seen_ = true;
        result_.cancelled = true;
      } else if (late) {
        result_.timed_out = true;
      } else if (result_.kept.ok()) {
        return;
      }
      ending_ = Ending::asked;
      asked_ = clock_.elapsed();
      signal_group(process_, SIGTERM);
    } else if (ending_ == Ending::asked && since(asked_) >= request_.kill_grace) {
      ending_ = Ending::killed;
      signal_group(process_, SIGKILL);
    }
  }

  Duration wait() const {
    Duration left = kPollMax;
    if (!process_.handle.valid())
      left = kDrainGrace - since(ended_);
    else if (ending_ == Ending::asked)
      left = request_.kill_grace - since(asked_);
    else if (ending_ == Ending::none && request_.timeout.count() > 0)
      left = request_.timeout - since(began_);
    return std::clamp(left + Duration(1), Duration(0), kPollMax);
  }

  void take(Fd& from, Capture& into) {
    std::array<char, kChunk> chunk;  // NOLINT: filled by read
    const ssize_t got = ::read(from.get(), chunk.data(), chunk.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return from.reset();
    if (!result_.kept.ok()) return;  // the tool is being ended; what it still says has no place
    const std::string_view bytes(chunk.data(), static_cast<std::size_t>(got));
    result_.kept = into.append(bytes);
    if (request_.on_output && result_.kept.ok()) request_.on_output(&into == &result_.err, bytes);
  }

  void feed() {
    const ssize_t sent = ::write(in_.get(), left_.data(), std::min(left_.size(), kChunk));
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (sent < 0) return in_.reset();  // it reads no further, as `head` does
    left_.remove_prefix(static_cast<std::size_t>(sent));
    if (left_.empty()) in_.reset();
  }

  void ended() {
    // The leader is gone but not yet reaped, so the group's number is still its own: whatever it left behind ends with it.
    signal_group(process_, SIGKILL);
    const auto ending = reap(process_);
    result_.exit_code = result_.timed_out ? -1 : ending.exit_code;
    result_.signal = ending.signal;
    process_.handle.reset();
    in_.reset();
    ended_ = clock_.elapsed();
  }

  const RunRequest& request_;
  const Cancel& cancel_;
  const Clock& clock_;
  Ticks began_;
  Ticks asked_{};
  Ticks ended_{};
  Ending ending_ = Ending::none;
  bool cancel_seen_ = false;
  Process process_;
  Fd out_;
  Fd err_;
  Fd in_;
  std::string_view left_;  // of the input
  RunResult result_;
};

}  // namespace

RunResult run(const RunRequest& request, const Cancel& cancel, const Clock& clock) { return Watch(request, cancel, clock).run(); }

}  // namespace muster::worker
