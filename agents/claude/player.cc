#include "agents/claude/player.h"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <fstream>
#include <mutex>
#include <optional>
#include <utility>

#include "agents/claude/limits.h"
#include "agents/claude/playback.h"
#include "base/uuid.h"

namespace muster::claude {
namespace {

constexpr std::size_t kBytesPerToken = 4;

Status stopped() { return Status::conflict("the model's API has stopped"); }

class Player final : public Api {
 public:
  explicit Player(Cassette cassette) : cassette_(std::move(cassette)) {}

  CallId stream(std::string params, std::vector<std::string>, std::shared_ptr<StreamSink> sink) override {
    if (stopped_) {
      sink->ended(stopped());
      return CallId(0);
    }
    const Result<BatchLine> line = next(params);
    Result<Answer> answer = line.ok() ? as_answer(*line) : line.status();
    sink->started(1);
    if (answer.ok()) play(*answer, *sink);
    sink->ended(std::move(answer));
    return CallId(0);
  }
  void cancel(CallId) override {}  // every call has ended

  void create_batch(std::vector<BatchRequest> requests, std::vector<std::string>, Reply<Batch> reply) override {
    if (stopped_) return reply(stopped());
    Known batch{.id = fmt::format("msgbatch_{:016x}", random_seed()), .requests = std::move(requests)};
    const Batch described = describe(batch);
    {
      const std::lock_guard lock(mutex_);
      if (batches_.size() == kPlayerBatchesMax) batches_.pop_front();
      batches_.push_back(std::move(batch));
    }
    reply(described);
  }
  void get_batch(std::string id, Reply<Batch> reply) override {
    const auto batch = find(id);
    reply(batch ? Result<Batch>(describe(*batch)) : Result<Batch>(unknown(id)));
  }
  void cancel_batch(std::string id, Reply<Batch> reply) override { get_batch(std::move(id), std::move(reply)); }
  void batch_results(std::string id, std::shared_ptr<LineSink> lines, Reply<std::uint64_t> reply) override {
    const auto batch = find(id);
    if (!batch) return reply(unknown(id));
    for (const BatchRequest& request : batch->requests) {
      Result<BatchLine> result = next(request.params);
      BatchLine one = result.ok() ? *std::move(result)
                                  : BatchLine{.type = BatchLineType::errored,
                                              .error_type = "not_found_error",
                                              .error_message = result.status().message()};
      one.custom_id = request.custom_id;
      lines->line(std::move(one));
    }
    reply(batch->requests.size());
  }
  void count_tokens(std::string params, std::vector<std::string>, Reply<std::uint64_t> reply) override {
    reply(params.size() / kBytesPerToken);
  }
  void stop() override { stopped_ = true; }

 private:
  struct Known {
    std::string id;
    std::vector<BatchRequest> requests;
  };

  static Status unknown(const std::string& id) { return Status::not_found(fmt::format("no batch {} is known", id)); }
  static Batch describe(const Known& batch) {
    return {.id = batch.id, .state = BatchState::ended, .succeeded = batch.requests.size()};
  }
  Result<BatchLine> next(const std::string& params) {
    const std::lock_guard lock(mutex_);
    return cassette_.next(params);
  }
  std::optional<Known> find(const std::string& id) const {
    const std::lock_guard lock(mutex_);
    for (const Known& batch : batches_)
      if (batch.id == id) return batch;
    return std::nullopt;
  }

  std::atomic<bool> stopped_ = false;
  mutable std::mutex mutex_;  // leaf; guards the two below
  Cassette cassette_;
  std::deque<Known> batches_;
};

}  // namespace

std::shared_ptr<Api> replay_calls(Cassette cassette) { return std::make_shared<Player>(std::move(cassette)); }

Result<std::shared_ptr<Api>> replay_calls(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff bytes = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  if (bytes < 0) return Status::unavailable(fmt::format("the cassette {} cannot be read: {}", path, std::strerror(errno)));
  if (static_cast<std::size_t>(bytes) > kCassetteBytesMax)
    return Status::invalid_argument(
        fmt::format("the cassette {} has {} bytes; at most {} are accepted", path, bytes, kCassetteBytesMax));
  std::string text(static_cast<std::size_t>(bytes), '\0');
  file.seekg(0).read(text.data(), bytes);
  if (!file) return Status::unavailable(fmt::format("the cassette {} cannot be read", path));
  auto cassette = Cassette::parse(text);
  if (!cassette.ok()) return cassette.status().annotate(path);
  return replay_calls(*std::move(cassette));
}

}  // namespace muster::claude
