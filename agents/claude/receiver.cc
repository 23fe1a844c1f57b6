#include "agents/claude/receiver.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "agents/claude/accumulator.h"
#include "agents/claude/documents.h"
#include "agents/claude/event_reader.h"
#include "agents/claude/limits.h"
#include "agents/claude/line_reader.h"
#include "base/log.h"

namespace muster::claude {
namespace {

class StreamReceiver final : public Receiver {
 public:
  explicit StreamReceiver(std::shared_ptr<StreamSink> sink) : sink_(std::move(sink)) {}

  void started(std::uint32_t attempt) override {
    reader_ = EventReader();
    accumulator_ = Accumulator();
    sink_->started(attempt);
  }
  bool accepts(std::string_view content_type) const override { return content_type.starts_with("text/event-stream"); }
  Status bytes(std::string_view bytes) override { return reader_.feed(bytes, take_); }
  Status complete(bool ended_well) override {
    if (accumulator_.complete()) return Status();
    const char* const what =
        accumulator_.started() ? "the stream ended before message_stop" : "the stream ended before message_start";
    return Status(ended_well ? Code::corrupt : Code::unavailable, what);
  }
  void deliver() override { sink_->ended(accumulator_.take_answer()); }
  void fail(Status why) override { sink_->ended(std::move(why)); }
  TokenUsage usage() const override { return accumulator_.usage(); }

 private:
  std::shared_ptr<StreamSink> sink_;
  EventReader reader_;
  Accumulator accumulator_;
  const Accumulator::Tell tell_ = [this](const Delta& delta) { sink_->delta(delta); };
  const std::function<Status(const Event&)> take_ = [this](const Event& event) { return accumulator_.take(event, tell_); };
};

class LinesReceiver final : public Receiver {
 public:
  LinesReceiver(std::shared_ptr<LineSink> lines, Reply<std::uint64_t> reply, UniqueFunction<void(const TokenUsage&)> tokens)
      : lines_(std::move(lines)), reply_(std::move(reply)), tokens_(std::move(tokens)) {}

  void started(std::uint32_t) override {
    reader_ = LineReader();
    seen_ = 0;
  }
  bool accepts(std::string_view content_type) const override { return !content_type.starts_with("text/html"); }
  bool has_room() const override { return lines_->has_room(); }
  Status bytes(std::string_view bytes) override { return reader_.feed(bytes, take_); }
  Status complete(bool ended_well) override {
    if (!ended_well) return Status::unavailable("the results ended too early");
    reader_.finish(take_);
    return Status();
  }
  void deliver() override { reply_(delivered_); }
  void fail(Status why) override { reply_(std::move(why)); }

 private:
  void take(std::string_view text) {
    // Results of a batch that has ended do not change: a second download repeats what the first one brought.
    if (seen_++ < known_) return;
    known_ = seen_;
    Result<BatchLine> line = read_batch_line(text);
    if (!line.ok()) {
      log::warn("a line of a batch's results is left out", {{"reason", line.status().message()}});
      return;
    }
    ++delivered_;
    tokens_(line->answer.usage);
    lines_->line(*std::move(line));
  }

  const std::shared_ptr<LineSink> lines_;  // shared with who asked
  Reply<std::uint64_t> reply_;
  UniqueFunction<void(const TokenUsage&)> tokens_;
  LineReader reader_;
  std::uint64_t seen_ = 0;       // lines of this try
  std::uint64_t known_ = 0;      // lines of the longest try
  std::uint64_t delivered_ = 0;  // of these, the readable ones
  const std::function<void(std::string_view)> take_ = [this](std::string_view text) { take(text); };
};

template <class T>
class DocumentReceiver final : public Receiver {
 public:
  DocumentReceiver(Reply<T> reply, Result<T> (*read)(std::string_view)) : reply_(std::move(reply)), read_(read) {}

  void started(std::uint32_t) override { body_.clear(); }
  bool accepts(std::string_view content_type) const override { return !content_type.starts_with("text/html"); }
  Status bytes(std::string_view bytes) override {
    if (body_.size() + bytes.size() > kModelDocumentBytesMax)
      return Status::corrupt(fmt::format("the answer is longer than {} bytes", kModelDocumentBytesMax));
    body_ += bytes;
    return Status();
  }
  Status complete(bool ended_well) override {
    if (!ended_well) return Status::unavailable("the answer ended too early");
    Result<T> value = read_(body_);
    if (!value.ok()) return value.status();
    value_ = *std::move(value);
    return Status();
  }
  void deliver() override { reply_(*std::move(value_)); }
  void fail(Status why) override { reply_(std::move(why)); }

 private:
  Reply<T> reply_;
  Result<T> (*read_)(std::string_view);
  std::string body_;
  std::optional<T> value_;
};

}  // namespace

std::unique_ptr<Receiver> receive_stream(std::shared_ptr<StreamSink> sink) {
  return std::make_unique<StreamReceiver>(std::move(sink));
}

std::unique_ptr<Receiver> receive_lines(std::shared_ptr<LineSink> lines, Reply<std::uint64_t> reply,
                                        UniqueFunction<void(const TokenUsage&)> tokens) {
  return std::make_unique<LinesReceiver>(std::move(lines), std::move(reply), std::move(tokens));
}

std::unique_ptr<Receiver> receive_batch(Reply<Batch> reply) {
  return std::make_unique<DocumentReceiver<Batch>>(std::move(reply), read_batch);
}

std::unique_ptr<Receiver> receive_token_count(Reply<std::uint64_t> reply) {
  return std::make_unique<DocumentReceiver<std::uint64_t>>(std::move(reply), read_token_count);
}

}  // namespace muster::claude
