#include "fronts/ws/feed/run_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "model/partial_result.h"

namespace muster::ws::feed {
namespace {

RunStatus status_of_change(const JobChange& change, const Node& node) {
  switch (change.to) {
    case JobState::completed: return node.stage == "skipped" ? RunStatus::skipped : RunStatus::succeeded;
    case JobState::dead: return RunStatus::failed;
    case JobState::cancelled: return RunStatus::cancelled;
    case JobState::running: return RunStatus::running;
    case JobState::scheduled:
    case JobState::ready: return RunStatus::queued;
  }
  return RunStatus::queued;
}

// Sent on its way out of the buffer with a note, instead of whole.
std::string left_out(std::size_t bytes) { return fmt::format(R"({{"contentOmitted":true,"contentBytes":{}}})", bytes); }

}  // namespace

// One reader. Its connection owns it, and tells it when it ends.
class RunFeed::Stream final : public net::Session {
 public:
  Stream(RunFeed& feed, Listener listener, net::Connection& connection)
      : feed_(&feed),
        listener_(std::move(listener)),
        connection_(connection),
        silence_(std::make_unique<Deadlines::Entry>(feed.deadlines_, [this] { comment(); })) {
    Tenant& tenant = feed.tenant(listener_.tenant);
    next_ = tenant.buffer.resume_from(listener_.last_event_id);
    live_from_ = tenant.buffer.next_number();
    tenant.streams.insert(this);
    ++feed.streams_;
    rest();
  }
  ~Stream() override { leave(); }

  const Listener& listener() const { return listener_; }

  // Sends what it has not seen, as far as there is room.
  void feed() {
    if (feed_ == nullptr || connection_.closing()) return;
    const EventBuffer& buffer = feed_->tenant(listener_.tenant).buffer;
    // It was too slow for the whole buffer. It can come back and say what it has seen.
    if (next_ < buffer.oldest()) return end();
    if (connection_.unsent() > 0 && !connection_.has_room()) return;
    std::string bytes;
    while (next_ < buffer.next_number() && connection_.unsent() + bytes.size() < kFeedUnsentBytesMax) {
      const Event& event = buffer.at(next_);
      if (event.client.empty() || event.client == listener_.client) append_sse(bytes, event, next_ < live_from_);
      ++next_;
    }
    if (bytes.empty()) return;
    connection_.send(std::move(bytes));
    rest();
  }
  void end() {
    leave();
    if (!connection_.closing()) connection_.close_when_sent();
  }
  // The feed goes.
  void orphan() {
    silence_.reset();
    feed_ = nullptr;
  }

  void received(std::string_view) override {}
  void peer_finished() override { connection_.close_now(); }
  void read_expired() override {}
  void output_drained() override { feed(); }
  void drain() override { end(); }
  void closed() override { leave(); }

 private:
  void rest() { silence_->set(feed_->deadlines_.steady() + kFeedSilence); }
  void comment() {
    if (feed_ == nullptr || connection_.closing()) return;
    if (connection_.unsent() == 0) connection_.send(std::string(kSseHeartbeat));
    rest();
  }
  void leave() {
    if (feed_ == nullptr) return;
    feed_->remove(*this);
    orphan();
  }

  RunFeed* feed_;  // null: it is no longer told
  const Listener listener_;
  net::Connection& connection_;
  std::uint64_t next_ = 0;
  std::uint64_t live_from_ = 0;
  std::unique_ptr<Deadlines::Entry> silence_;  // while it is told
};

RunFeed::RunFeed(const Clock& clock, Deadlines& deadlines) : clock_(clock), deadlines_(deadlines) {}

RunFeed::~RunFeed() { close_all(); }

void RunFeed::close_all() {
  std::vector<Stream*> all;
  for (auto& [name, tenant] : tenants_) all.insert(all.end(), tenant.streams.begin(), tenant.streams.end());
  for (Stream* stream : all) stream->end();
}

RunFeed::Tenant& RunFeed::tenant(std::string_view name) {
  auto found = tenants_.find(name);
  if (found == tenants_.end()) {
    if (tenants_.size() >= kFeedTenantsMax) {
      const auto least = std::min_element(tenants_.begin(), tenants_.end(), [](const auto& a, const auto& b) {
        return std::pair(!a.second.streams.empty(), a.second.used) < std::pair(!b.second.streams.empty(), b.second.used);
      });
      // Whoever listens to the longest silence of a thousand is let go, and may come back.
      for (Stream* stream : std::set(least->second.streams)) stream->end();
      tenants_.erase(least);
    }
    found = tenants_.emplace(std::string(name), Tenant()).first;
  }
  found->second.used = ++uses_;
  return found->second;
}

void RunFeed::remove(Stream& stream) {
  const auto found = tenants_.find(stream.listener().tenant);
  if (found == tenants_.end() || found->second.streams.erase(&stream) == 0) return;
  if (--streams_ == 0) awake_until_ = clock_.now() + kFeedAwakeFor;
}

bool RunFeed::quiet() const {
  if (streams_ > 0 || telling_of_) return false;
  return !awake_until_ || clock_.now() >= *awake_until_;
}

void RunFeed::wake() {
  noted_.tell_all([this](Instant at, QuietLog::Tell& tell) {
    telling_of_ = at;
    tell();
  });
  telling_of_.reset();
}

Result<std::shared_ptr<net::Session>> RunFeed::open(Listener listener, net::Connection& connection) {
  if (streams_ >= kFeedStreamsMax)
    return Status::exhausted(
        fmt::format("{} event streams are open, which is the most there may be; close one", kFeedStreamsMax));
  wake();
  return std::shared_ptr<net::Session>(std::make_shared<Stream>(*this, std::move(listener), connection));
}

void RunFeed::revoke(const std::function<bool(const auth::Credential&)>& still_valid) {
  std::vector<Stream*> gone;
  for (auto& [name, tenant] : tenants_)
    for (Stream* stream : tenant.streams)
      if (!still_valid(stream->listener().credential)) gone.push_back(stream);
  for (Stream* stream : gone) stream->end();
}

void RunFeed::publish(std::string_view type, const Scope& scope, std::string data, std::string_view meta) {
  Tenant& to = tenant(scope.tenant);
  to.buffer.add(
      make_event({.number = to.buffer.next_number(), .type = type, .at = now(), .scope = scope, .meta = meta}, std::move(data)));
  if (to.streams.empty()) return;
  for (Stream* stream : std::set(to.streams)) stream->feed();
}

void RunFeed::publish_node(const TaskName& name, const Run& run, const Node& node) {
  publish("node.state", {.tenant = name.tenant, .run = name.run, .worker = node.worker, .client = run.client},
          node_state(name.run, node, now()));
}

// A snapshot is a summary of what else is told: it is made for those who listen.
void RunFeed::publish_run(const TaskName& name, const Run& run, RunStatus before) {
  const Scope scope{.tenant = name.tenant, .run = name.run, .client = run.client};
  const RunFacts facts = run.facts(name.run);
  if (facts.status != before) publish("run.status", scope, run_status(facts));
  if (!tenant(name.tenant).streams.empty()) publish("run.snapshot", scope, run_snapshot(facts, run.shown_nodes()));
}

void RunFeed::move(const TaskName& name, RunBoard::Place place, RunStatus to) {
  const RunStatus before = place.run->status();
  const RunStatus was = place.node->status;
  place.run->set(*place.node, to, now());
  publish_node(name, *place.run, *place.node);
  // A run that is told of for the first time has no status that anybody knows.
  publish_run(name, *place.run, was == RunStatus::queued && before == RunStatus::queued ? RunStatus::skipped : before);
}

void RunFeed::dispatched(const Dispatched& dispatch) {
  if (quiet()) return noted_.dispatched(dispatch, now());
  const RunBoard::Place place = board_.task(dispatch.task, dispatch.job);
  if (place.node == nullptr) return;
  Node& node = *place.node;
  place.run->client = dispatch.client;
  node.node_id = dispatch.node_id;
  node.worker = dispatch.worker;
  node.dispatch_id = dispatch.dispatch_id;
  node.seq = dispatch.seq;
  node.pending_ack = true;
  node.stage = "dispatched";
  node.progress.reset();
  node.message.clear();
  node.error = {};
  move(dispatch.task, place, RunStatus::running);
}

void RunFeed::acknowledged(const TaskName& task) {
  if (quiet()) return noted_.happened(now(), sizeof(TaskName), [this, task] { acknowledged(task); });
  const auto place = board_.find(task);
  if (!place || !place->node->pending_ack) return;
  place->node->pending_ack = false;
  place->node->stage = "running";
  publish_node(task, *place->run, *place->node);
}

void RunFeed::told(const TaskName& task, const Told& told) {
  if (quiet()) return note(task, told);
  const auto place = board_.find(task);
  if (!place || is_final(place->node->status)) return;
  Node& node = *place->node;
  node.pending_ack = false;
  node.stage = told.stage.empty() ? "running" : told.stage;
  if (told.progress) node.progress = told.progress;
  if (!told.message.empty()) node.message = told.message;
  publish_node(task, *place->run, node);
  const bool chunks = told.chunks != nullptr && !told.chunks->empty();
  if (!chunks && told.results.empty()) return;
  const Scope scope{.tenant = task.tenant, .run = task.run, .worker = node.worker, .client = place->run->client};
  if (sequences_.size() >= kRunsShownMax) sequences_.clear();
  Sequences& sequences = sequences_[task];
  Delta delta{.run_id = task.run, .node_id = node.node_id, .revision = node.seq};
  if (chunks)
    for (const OutputChunk& chunk : *told.chunks) {
      delta.sequence = ++sequences.chunks;
      publish("node.result.delta", scope, node_chunk_delta(delta, chunk));
    }
  if (told.results.empty()) return;
  MergedResult merged = merge_result(sequences.results, told.results);
  if (merged.text.size() > kFeedContentBytesMax) return;
  sequences.results = merged.text;
  const json::Tree values = json::parse_object(merged.text).value_or(json::Tree::object());
  for (const std::string& member : merged.replaced) {
    delta.sequence = ++sequences.values;
    publish("node.result.delta", scope, node_value_delta(delta, member, json::dump(values[member])));
  }
  for (const std::string& member : merged.removed) {
    delta.sequence = ++sequences.values;
    publish("node.result.delta", scope, node_value_delta(delta, member, {}));
  }
  const json::Tree* summary = json::member(values, "summary");
  publish("node.result.snapshot", scope,
          node_result_snapshot({.run_id = task.run,
                                .node_id = node.node_id,
                                .revision = node.seq,
                                .content = merged.text,
                                .summary = summary == nullptr ? std::string() : json::dump(*summary)}));
}

// Text and chunks are copied: they are the frame's, which goes.
void RunFeed::note(const TaskName& task, const Told& told) {
  std::vector<OutputChunk> chunks = told.chunks == nullptr ? std::vector<OutputChunk>() : *told.chunks;
  std::size_t bytes = sizeof(TaskName) + told.message.size() + told.results.size();
  for (const OutputChunk& chunk : chunks) bytes += sizeof(OutputChunk) + chunk.bytes();
  noted_.happened(now(), bytes,
                  [this, task, again = told, results = std::string(told.results), chunks = std::move(chunks)]() mutable {
                    again.chunks = &chunks;
                    again.results = results;
                    this->told(task, again);
                  });
}

void RunFeed::result(const TaskName& task, std::string_view status, std::string_view content, const json::Tree* artifacts) {
  if (quiet()) {
    auto kept = std::make_unique<json::Tree>(artifacts == nullptr ? json::Tree() : *artifacts);
    const bool fits = content.size() <= kFeedContentBytesMax;
    return noted_.happened(now(), sizeof(TaskName) + (fits ? content.size() : 0),
                           [this, task, status = std::string(status), kept = std::move(kept), size = content.size(),
                            content = std::string(fits ? content : std::string_view())] {
                             // One that is too long is left out whatever it says.
                             const std::string text = content.empty() ? std::string(size, ' ') : content;
                             result(task, status, text, kept->is_null() ? nullptr : kept.get());
                           });
  }
  const auto place = board_.find(task);
  if (!place || is_final(place->node->status)) return;
  Node& node = *place->node;
  node.pending_ack = false;
  node.stage = status == "SKIPPED"     ? "skipped"
               : status == "SUCCEEDED" ? "succeeded"
               : status == "FAILED"    ? "failed"
                                       : "cancelled";
  if (artifacts != nullptr && !artifacts->empty()) node.artifacts = run_artifacts(*artifacts);
  const bool fits = content.size() <= kFeedContentBytesMax && node.artifacts.size() <= kFeedContentBytesMax;
  if (node.artifacts.size() > kFeedContentBytesMax) node.artifacts.clear();
  publish("node.result.snapshot", {.tenant = task.tenant, .run = task.run, .worker = node.worker, .client = place->run->client},
          node_result_snapshot({.run_id = task.run,
                                .node_id = node.node_id,
                                .revision = node.seq,
                                .content = fits ? content : std::string_view(),
                                .artifacts = node.artifacts,
                                .complete = true}),
          fits ? std::string() : left_out(content.size()));
}

void RunFeed::failed(const TaskName& task, Error error) {
  if (quiet())
    return noted_.happened(now(), sizeof(TaskName) + error.message.size(),
                           [this, task, error = std::move(error)]() mutable { failed(task, std::move(error)); });
  const auto place = board_.find(task);
  if (place && !is_final(place->node->status)) place->node->error = std::move(error);
}

void RunFeed::changed(const JobChange& change) {
  if (quiet()) {
    if (change.to == JobState::running || (!noted_.knows(change.id) && board_.name_of(change.id) == nullptr)) return;
    if (is_finished(change.to)) noted_.ended(change.id);
    return noted_.happened(now(), sizeof(JobChange), [this, change] { changed(change); });
  }
  const TaskName* const known = board_.name_of(change.id);
  if (known == nullptr) return;
  const TaskName name = *known;
  const auto place = board_.find(name);
  if (!place) return;
  Node& node = *place->node;
  const RunStatus to = status_of_change(change, node);
  if (to == node.status || to == RunStatus::running) return;
  sequences_.erase(name);
  node.pending_ack = false;
  node.stage.clear();
  if (to == RunStatus::queued) {
    node.worker.clear();
    node.dispatch_id.clear();
  }
  if (to == RunStatus::failed && node.error.empty()) node.error = {change.cause, "the task failed"};
  move(name, *place, to);
}

void RunFeed::beat(std::string_view tenant, const WorkerFacts& worker, const json::Tree* beat) {
  publish("worker.heartbeat", {.tenant = tenant, .worker = worker.name}, worker_heartbeat(worker, clock_.now(), beat));
}

void RunFeed::package(std::string_view tenant, std::string_view worker, const PackageState& package) {
  publish("worker.package", {.tenant = tenant, .worker = worker}, worker_package(worker, package));
}

}  // namespace muster::ws::feed
