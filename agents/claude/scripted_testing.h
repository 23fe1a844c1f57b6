// An Api that answers as a test says, without sockets or threads, and writes down what it was asked.
//
// The script is one function from the params of a message to its answer, called for streams and for the requests of batches
// alike. Calls are answered before they return; after hold() they wait for step() or let_go(), and can be cancelled meanwhile.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/claude/api.h"
#include "agents/claude/playback.h"
#include "base/json_reader.h"

namespace muster::claude {

inline Answer answer_of(const std::vector<std::string>& blocks, std::string stop_reason = "end_turn",
                        TokenUsage usage = {10, 5}) {
  Answer answer{.id = "msg_scripted", .model = "scripted", .stop_reason = std::move(stop_reason), .usage = usage};
  answer.blocks = "[";
  for (const std::string& block : blocks) answer.blocks += (answer.blocks.size() > 1 ? "," : "") + block;
  answer.blocks += "]";
  return answer;
}

inline std::string text_block(const std::string& text) { return json::dump({{"type", "text"}, {"text", text}}); }
inline std::string tool_block(const std::string& id, const std::string& name, const std::string& input = "{}") {
  return R"({"type":"tool_use","id":)" + json::dump(id) + R"(,"name":)" + json::dump(name) + R"(,"input":)" + input + "}";
}

// "end_turn" with one text.
inline Answer text_answer(const std::string& text) { return answer_of({text_block(text)}); }
// "tool_use" with these blocks.
inline Answer tool_answer(const std::vector<std::string>& blocks) { return answer_of(blocks, "tool_use"); }

// A sink of lines that always has room.
class EveryLine final : public LineSink {
 public:
  explicit EveryLine(UniqueFunction<void(BatchLine)> then) : then_(std::move(then)) {}
  void line(BatchLine line) override { then_(std::move(line)); }

 private:
  UniqueFunction<void(BatchLine)> then_;
};
inline std::shared_ptr<LineSink> every_line(UniqueFunction<void(BatchLine)> then) {
  return std::make_shared<EveryLine>(std::move(then));
}

// Thread-safe; sinks and replies are called without a lock held.
class ScriptedApi final : public Api {
 public:
  using Script = std::function<Result<Answer>(const std::string& params)>;
  // nullopt: the results have no line for it.
  using BatchScript = std::function<std::optional<BatchLine>(const BatchRequest& request)>;

  struct Asked {
    std::string verb;  // "stream", "create_batch", "get_batch", "cancel_batch", "batch_results", "count_tokens"
    std::string text;  // the params, or the id of the batch
    std::vector<std::string> betas;
  };

  explicit ScriptedApi(Script script) : script_(std::move(script)) {}
  // These answers one after the other, whatever is asked; then `exhausted`.
  ScriptedApi(std::initializer_list<Result<Answer>> answers)
      : script_([left = std::make_shared<std::deque<Result<Answer>>>(answers)](const std::string&) -> Result<Answer> {
          if (left->empty()) return Status::exhausted("the script has no more answers");
          Result<Answer> next = left->front();
          left->pop_front();
          return next;
        }) {}

  void on_batch_line(BatchScript script) { batch_script_ = std::move(script); }
  // What a batch with these requests is refused with; nothing, or ok: it is taken.
  void on_create_batch(std::function<Status(const std::vector<BatchRequest>&)> script) { refusal_ = std::move(script); }
  void set_polls_until_ended(std::uint32_t polls) { polls_until_ended_ = polls; }
  // Streams fail once after their first delta: the sink hears started(2), then everything again.
  void break_streams_once() { break_once_ = true; }
  void set_tokens(std::uint64_t tokens) { tokens_ = tokens; }

  std::size_t lines_too_many() const { return lines_too_many_; }  // that came though their reader had no room

  void hold() { holds_ = true; }
  std::size_t held() const {
    const std::lock_guard lock(mutex_);
    return held_.size();
  }
  // Answers the call that waits longest. False: none does.
  bool step() {
    UniqueFunction<void(bool)> next;
    {
      const std::lock_guard lock(mutex_);
      if (held_.empty()) return false;
      next = std::move(held_.front().second);
      held_.pop_front();
    }
    next(true);
    return true;
  }
  void let_go() {
    holds_ = false;
    while (step()) {
    }
  }

  std::vector<Asked> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  std::size_t asked(std::string_view verb) const {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const Asked& each : asked_) count += each.verb == verb ? 1 : 0;
    return count;
  }

  CallId stream(std::string params, std::vector<std::string> betas, std::shared_ptr<StreamSink> sink) override {
    const CallId id = next_id();
    note({"stream", params, std::move(betas)});
    run(id, [this, params = std::move(params), sink = std::move(sink)](bool wanted) {
      if (!wanted) return sink->ended(Status::conflict("the call was cancelled"));
      Result<Answer> answer = script_(params);
      sink->started(1);
      if (answer.ok() && break_once_.exchange(false)) {
        play(*answer, *sink, 1);
        sink->started(2);
      }
      if (answer.ok()) play(*answer, *sink);
      sink->ended(std::move(answer));
    });
    return id;
  }
  void cancel(CallId call) override {
    UniqueFunction<void(bool)> found;
    {
      const std::lock_guard lock(mutex_);
      for (auto at = held_.begin(); at != held_.end(); ++at)
        if (at->first == call) {
          found = std::move(at->second);
          held_.erase(at);
          break;
        }
    }
    if (found) found(false);
  }

  void create_batch(std::vector<BatchRequest> requests, std::vector<std::string> betas, Reply<Batch> reply) override {
    std::string all;
    for (const BatchRequest& each : requests) all += each.custom_id + " " + each.params + "\n";
    note({"create_batch", std::move(all), std::move(betas)});
    answer<Batch>(std::move(reply), [this, requests = std::move(requests)]() -> Result<Batch> {
      if (Status refused = refusal_ ? refusal_(requests) : Status(); !refused.ok()) return refused;
      const std::lock_guard lock(mutex_);
      const std::string id = "msgbatch_" + std::to_string(batches_.size() + 1);
      batches_[id].requests = requests;
      return describe(id, batches_[id]);
    });
  }
  void get_batch(std::string id, Reply<Batch> reply) override {
    note({"get_batch", id, {}});
    answer<Batch>(std::move(reply), [this, id]() -> Result<Batch> {
      const std::lock_guard lock(mutex_);
      const auto at = batches_.find(id);
      if (at == batches_.end()) return Status::not_found("no batch " + id);
      if (++at->second.polls >= polls_until_ended_) at->second.ended = true;
      return describe(id, at->second);
    });
  }
  void cancel_batch(std::string id, Reply<Batch> reply) override {
    note({"cancel_batch", id, {}});
    answer<Batch>(std::move(reply), [this, id]() -> Result<Batch> {
      const std::lock_guard lock(mutex_);
      const auto at = batches_.find(id);
      if (at == batches_.end()) return Status::not_found("no batch " + id);
      at->second.canceled = true;
      return describe(id, at->second);
    });
  }
  // What comes when there is no room comes nevertheless, and is counted.
  void batch_results(std::string id, std::shared_ptr<LineSink> sink, Reply<std::uint64_t> reply) override {
    note({"batch_results", id, {}});
    answer<std::uint64_t>(std::move(reply), [this, id, sink = std::move(sink)]() -> Result<std::uint64_t> {
      Known batch;
      {
        const std::lock_guard lock(mutex_);
        const auto at = batches_.find(id);
        if (at == batches_.end() || !at->second.ended) return Status::not_found("no results of batch " + id);
        batch = at->second;
      }
      std::uint64_t lines = 0;
      for (const BatchRequest& request : batch.requests)
        if (std::optional<BatchLine> made = line_for(batch, request)) {
          if (!sink->has_room()) ++lines_too_many_;
          sink->line(*std::move(made));
          ++lines;
        }
      return lines;
    });
  }
  void count_tokens(std::string params, std::vector<std::string> betas, Reply<std::uint64_t> reply) override {
    note({"count_tokens", std::move(params), std::move(betas)});
    answer<std::uint64_t>(std::move(reply), [this]() -> Result<std::uint64_t> { return tokens_; });
  }

  void stop() override {
    stopped_ = true;
    std::deque<std::pair<CallId, UniqueFunction<void(bool)>>> held;
    {
      const std::lock_guard lock(mutex_);
      held.swap(held_);
    }
    for (auto& [id, call] : held) call(false);
  }

 private:
  struct Known {
    std::vector<BatchRequest> requests;
    std::uint32_t polls = 0;
    bool ended = false;
    bool canceled = false;
  };

  CallId next_id() {
    const std::lock_guard lock(mutex_);
    return CallId(++last_id_);
  }
  void note(Asked asked) {
    const std::lock_guard lock(mutex_);
    asked_.push_back(std::move(asked));
  }
  void run(CallId id, UniqueFunction<void(bool)> call) {
    if (holds_ && !stopped_) {
      const std::lock_guard lock(mutex_);
      held_.emplace_back(id, std::move(call));
      return;
    }
    call(!stopped_);
  }
  template <class T, class Make>
  void answer(Reply<T> reply, Make make) {
    run(next_id(), [reply = std::move(reply), make = std::move(make)](bool wanted) mutable {
      reply(wanted ? Result<T>(make()) : Result<T>(Status::conflict("the call was cancelled")));
    });
  }

  Batch describe(const std::string& id, const Known& known) const {
    Batch batch{.id = id};
    batch.state = known.ended ? BatchState::ended : known.canceled ? BatchState::canceling : BatchState::in_progress;
    (known.ended ? (known.canceled ? batch.canceled : batch.succeeded) : batch.processing) = known.requests.size();
    return batch;
  }
  std::optional<BatchLine> line_for(const Known& batch, const BatchRequest& request) {
    if (batch.canceled) return BatchLine{.custom_id = request.custom_id, .type = BatchLineType::canceled};
    if (batch_script_) return batch_script_(request);
    Result<Answer> answer = script_(request.params);
    if (answer.ok())
      return BatchLine{.custom_id = request.custom_id, .type = BatchLineType::succeeded, .answer = *std::move(answer)};
    return BatchLine{.custom_id = request.custom_id,
                     .type = BatchLineType::errored,
                     .error_type = "api_error",
                     .error_message = answer.status().message(),
                     .retryable = answer.code() != Code::invalid_argument};
  }

  Script script_;
  BatchScript batch_script_;
  std::function<Status(const std::vector<BatchRequest>&)> refusal_;
  std::uint32_t polls_until_ended_ = 1;
  std::uint64_t tokens_ = 1;
  std::atomic<bool> break_once_ = false;
  std::atomic<std::size_t> lines_too_many_ = 0;
  std::atomic<bool> holds_ = false;
  std::atomic<bool> stopped_ = false;
  mutable std::mutex mutex_;  // leaf; guards the four below
  std::uint64_t last_id_ = 0;
  std::vector<Asked> asked_;
  std::deque<std::pair<CallId, UniqueFunction<void(bool)>>> held_;
  std::map<std::string, Known> batches_;
};

}  // namespace muster::claude
