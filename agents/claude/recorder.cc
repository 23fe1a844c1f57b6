#include "agents/claude/recorder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "agents/claude/cassette.h"
#include "agents/claude/json_text.h"
#include "agents/claude/limits.h"
#include "base/log.h"

namespace muster::claude {
namespace {

constexpr std::size_t kTailPiece = 64 * 1024;  // bytes that are read at a time to find where the last line begins

// Where that fails too, the rest of a line stays there; whoever reads the file leaves it out.
void cut(int file, std::size_t bytes) {
  if (::ftruncate(file, static_cast<off_t>(bytes)) != 0)
    log::warn("a cassette could not be cut", {{"reason", std::string(std::strerror(errno))}});
}

// The file. Thread-safe; a line is written whole or not at all.
class Tape {
 public:
  Tape(int file, std::size_t bytes, std::string path, std::string key)
      : file_(file), path_(std::move(path)), secret_(json_string(key)), bytes_(bytes) {
    secret_ = secret_.substr(1, secret_.size() - 2);  // as it would stand inside a text of JSON
  }
  ~Tape() { ::close(file_); }
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  void write(std::string line) {
    constexpr std::string_view kShown = "[key]";
    for (std::size_t at = 0; !secret_.empty() && (at = line.find(secret_, at)) != std::string::npos; at += kShown.size())
      line.replace(at, secret_.size(), kShown);
    // Between the members of a request there may be ends of lines, which mean no more than blanks.
    std::replace(line.begin(), std::prev(line.end()), '\n', ' ');
    const std::lock_guard lock(mutex_);
    if (over_) return;
    if (bytes_ + line.size() > kCassetteBytesMax) return give_up(fmt::format("it has {} bytes already", bytes_));
    const ssize_t written = ::write(file_, line.data(), line.size());
    if (written != static_cast<ssize_t>(line.size())) {
      const std::string why = written < 0 ? std::strerror(errno) : "the disk is full";
      cut(file_, bytes_);
      return give_up(why);
    }
    bytes_ += line.size();
  }

 private:
  void give_up(const std::string& why) {
    over_ = true;
    log::warn("calls of the model's API are no longer recorded", {{"file", path_}, {"reason", why}});
  }

  const int file_;
  const std::string path_;
  std::string secret_;
  std::mutex mutex_;  // guards the two below, and the order of lines
  std::size_t bytes_;
  bool over_ = false;
};
using TapePtr = std::shared_ptr<Tape>;  // shared with the calls that are under way

class RecordedSink final : public StreamSink {
 public:
  RecordedSink(TapePtr tape, std::string params, std::shared_ptr<StreamSink> sink)
      : tape_(std::move(tape)), params_(std::move(params)), sink_(std::move(sink)) {}
  void started(std::uint32_t attempt) override { sink_->started(attempt); }
  void delta(const Delta& delta) override { sink_->delta(delta); }
  void ended(Result<Answer> answer) override {
    // Who cancelled a call did not learn what the model would have said.
    if (answer.code() != Code::conflict) tape_->write(cassette_exchange(params_, answer));
    sink_->ended(std::move(answer));
  }

 private:
  const TapePtr tape_;
  const std::string params_;
  const std::shared_ptr<StreamSink> sink_;
};

class RecordedLines final : public LineSink {
 public:
  RecordedLines(TapePtr tape, std::shared_ptr<LineSink> lines) : tape_(std::move(tape)), lines_(std::move(lines)) {}
  void line(BatchLine line) override {
    tape_->write(cassette_result(line));
    lines_->line(std::move(line));
  }
  bool has_room() const override { return lines_->has_room(); }

 private:
  const TapePtr tape_;
  const std::shared_ptr<LineSink> lines_;  // shared with who asked
};

class Recorder final : public Api {
 public:
  Recorder(std::shared_ptr<Api> api, TapePtr tape) : api_(std::move(api)), tape_(std::move(tape)) {}

  CallId stream(std::string params, std::vector<std::string> betas, std::shared_ptr<StreamSink> sink) override {
    auto recorded = std::make_shared<RecordedSink>(tape_, params, std::move(sink));
    return api_->stream(std::move(params), std::move(betas), std::move(recorded));
  }
  void cancel(CallId call) override { api_->cancel(call); }

  void create_batch(std::vector<BatchRequest> requests, std::vector<std::string> betas, Reply<Batch> reply) override {
    // Before it is known whether they are taken: a request without a result is no exchange.
    for (const BatchRequest& request : requests) tape_->write(cassette_request(request));
    api_->create_batch(std::move(requests), std::move(betas), std::move(reply));
  }
  void get_batch(std::string id, Reply<Batch> reply) override { api_->get_batch(std::move(id), std::move(reply)); }
  void cancel_batch(std::string id, Reply<Batch> reply) override { api_->cancel_batch(std::move(id), std::move(reply)); }
  void batch_results(std::string id, std::shared_ptr<LineSink> lines, Reply<std::uint64_t> reply) override {
    api_->batch_results(std::move(id), std::make_shared<RecordedLines>(tape_, std::move(lines)), std::move(reply));
  }
  void count_tokens(std::string params, std::vector<std::string> betas, Reply<std::uint64_t> reply) override {
    api_->count_tokens(std::move(params), std::move(betas), std::move(reply));
  }
  void stop() override { api_->stop(); }

 private:
  const std::shared_ptr<Api> api_;
  const TapePtr tape_;
};

// Whoever wrote the file before may have died in the middle of a line, or have left out the end of the last one. The new lines
// begin behind whole ones.
Result<std::size_t> end_last_line(int file, std::size_t bytes) {
  const auto failed = [] { return Status::unavailable(std::strerror(errno)); };
  char last = '\n';
  if (bytes > 0 && ::pread(file, &last, 1, static_cast<off_t>(bytes - 1)) != 1) return failed();
  if (last == '\n') return bytes;
  std::string line;
  for (std::size_t begin = bytes; begin > 0 && line.find('\n') == std::string::npos;) {
    std::string piece(std::min(begin, kTailPiece), '\0');
    begin -= piece.size();
    if (::pread(file, piece.data(), piece.size(), static_cast<off_t>(begin)) != static_cast<ssize_t>(piece.size()))
      return failed();
    line.insert(0, piece);
  }
  line.erase(0, line.rfind('\n') + 1);  // npos + 1 is 0: the whole file is one line
  if (is_cut_line(line)) {
    cut(file, bytes - line.size());
    return bytes - line.size();
  }
  if (::write(file, "\n", 1) != 1) return failed();
  return bytes + 1;
}

}  // namespace

Result<std::shared_ptr<Api>> record_calls(std::shared_ptr<Api> api, const std::string& path, std::string key) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  struct stat facts {};
  // A file that was there may have been for others to read.
  const bool ready = file >= 0 && ::fchmod(file, 0600) == 0 && ::fstat(file, &facts) == 0;
  const Result<std::size_t> bytes =
      ready ? end_last_line(file, static_cast<std::size_t>(facts.st_size)) : Status::unavailable(std::strerror(errno));
  if (!bytes.ok()) {
    if (file >= 0) ::close(file);
    return Status::unavailable(fmt::format("the cassette {} cannot be written: {}", path, bytes.status().message()));
  }
  auto tape = std::make_shared<Tape>(file, *bytes, path, std::move(key));
  return std::shared_ptr<Api>(std::make_shared<Recorder>(std::move(api), std::move(tape)));
}

}  // namespace muster::claude
