#include "fronts/resp/link/channels.h"

#include <nlohmann/json.hpp>

#include "base/glob.h"
#include "base/time_text.h"
#include "fronts/resp/clients.h"
#include "fronts/resp/core.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/wire/writer.h"
#include "fronts/resp/work/work.h"

namespace muster::resp {
namespace {

constexpr std::size_t kReadBatch = 256;  // events taken from the ring in one turn of the loop
constexpr std::string_view kJobPrefix = "job:";

// Workers by their state words.
std::string_view worker_word(const WorkerChange& change) {
  switch (change.to) {
    case WorkerState::online: return "ACTIVE";
    case WorkerState::draining: return "DRAINING";
    case WorkerState::offline: return change.cause == "silent" ? "DEAD" : "UNREGISTERED";
  }
  return "DEAD";
}

// The cause of a change is the kind of the error, where there was one.
std::string_view job_word(const JobChange& change) {
  std::optional<JobError> error;
  if (!change.cause.empty() && (change.event == JobEvent::failed || change.to == JobState::dead)) error = {change.cause, {}};
  return plans::status_word(change.to, error);
}

std::string dump(const nlohmann::json& value) { return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

std::string channel_frame(const Client& client, const std::vector<std::string_view>& parts) {
  std::string out;
  wire::push(out, parts.size(), client.protocol);
  for (const std::string_view part : parts) wire::bulk(out, part);
  return out;
}

}  // namespace

Channels::Channels(Core& core) : core_(core) {}
Channels::~Channels() { unfollow(); }

// A job is told under one name, whichever of its forms was asked for.
std::string Channels::canonical(const std::string& channel) {
  if (!channel.starts_with(kJobPrefix)) return channel;
  const auto job = work::parse_job_id(std::string_view(channel).substr(kJobPrefix.size()));
  return job ? std::string(kJobPrefix) + plans::job_name(*job) : channel;
}

void Channels::add(const std::shared_ptr<Client>& client, Kind kind, const std::string& name) {
  if (!client->open()) return;
  Reader& reader = readers_[client->id];
  reader.client = client;
  const bool known = kind == Kind::channel ? reader.channels.contains(name) : reader.patterns.contains(name);
  if (known) return;
  if (kind == Kind::channel) {
    const std::string told = canonical(name);
    reader.channels.emplace(name, told);
    by_channel_[told].insert(client->id);
  } else {
    reader.patterns.insert(name);
    with_patterns_.insert(client->id);
  }
  ++client->subscriptions;
  client->subscription_bytes += bytes_of(name);
  bytes_ += bytes_of(name);
  follow();
}

void Channels::remove(Client& client, Kind kind, const std::string& name) {
  const auto at = readers_.find(client.id);
  if (at == readers_.end()) return;
  Reader& reader = at->second;
  if (kind == Kind::channel) {
    const auto channel = reader.channels.find(name);
    if (channel == reader.channels.end()) return;
    const std::string told = channel->second;
    reader.channels.erase(channel);
    // Two forms of one job's name may lead to the same channel.
    bool still = false;
    for (const auto& [asked, other] : reader.channels) still = still || other == told;
    if (const auto index = by_channel_.find(told); index != by_channel_.end() && !still) {
      index->second.erase(client.id);
      if (index->second.empty()) by_channel_.erase(index);
    }
  } else {
    if (reader.patterns.erase(name) == 0) return;
    if (reader.patterns.empty()) with_patterns_.erase(client.id);
  }
  --client.subscriptions;
  client.subscription_bytes -= bytes_of(name);
  bytes_ -= bytes_of(name);
  if (reader.channels.empty() && reader.patterns.empty()) readers_.erase(at);
  if (readers_.empty()) unfollow();
}

void Channels::remove(Client& client) {
  for (const Kind kind : {Kind::channel, Kind::pattern})
    for (const std::string& name : names_of(client, kind)) remove(client, kind, name);
}

std::vector<std::string> Channels::names_of(const Client& client, Kind kind) const {
  std::vector<std::string> out;
  const auto at = readers_.find(client.id);
  if (at == readers_.end()) return out;
  if (kind == Kind::pattern) return {at->second.patterns.begin(), at->second.patterns.end()};
  for (const auto& [name, told] : at->second.channels) out.push_back(name);
  return out;
}

std::vector<std::string> Channels::channels(std::string_view pattern) const {
  std::vector<std::string> out;
  for (const auto& [channel, readers] : by_channel_)
    if (pattern.empty() || glob_matches(pattern, channel)) out.push_back(channel);
  return out;
}

std::size_t Channels::readers_of(const std::string& channel) const {
  const auto at = by_channel_.find(canonical(channel));
  return at == by_channel_.end() ? 0 : at->second.size();
}

std::size_t Channels::patterns() const {
  std::set<std::string_view> distinct;
  for (const ClientId id : with_patterns_)
    for (const std::string& pattern : readers_.at(id).patterns) distinct.insert(pattern);
  return distinct.size();
}

void Channels::follow() {
  if (following_) return;
  following_ = true;
  after_ = core_.door.events().newest();
  subscription_ = core_.door.events().subscribe([weak = weak_from_this(), &loop = core_.loop] {
    const auto self = weak.lock();
    // Many publishes between two turns of the loop are one wake.
    if (!self || self->wake_pending_.exchange(true, std::memory_order_acq_rel)) return;
    loop.post([weak] {
      const auto channels = weak.lock();
      if (!channels) return;
      channels->wake_pending_.store(false, std::memory_order_release);
      channels->feed();
    });
  });
}

void Channels::unfollow() {
  if (!following_) return;
  following_ = false;
  core_.door.events().unsubscribe(subscription_);
}

void Channels::feed() {
  if (!following_) return;
  const command::Events::Slice slice = core_.door.events().read(after_, kReadBatch);
  after_ = slice.next;
  if (slice.gap) tell_gap();
  for (const command::Event& event : slice.events) tell(message_of(event));
  // The rest in later turns: others want the loop too.
  if (slice.events.size() == kReadBatch && !wake_pending_.exchange(true, std::memory_order_acq_rel))
    core_.loop.post([weak = weak_from_this()] {
      const auto channels = weak.lock();
      if (!channels) return;
      channels->wake_pending_.store(false, std::memory_order_release);
      channels->feed();
    });
}

Channels::Message Channels::message_of(const command::Event& event) const {
  Message out;
  if (const auto* job = std::get_if<JobChange>(&event.what)) {
    if (job->lane->ns.text() != kDefaultNamespace) return out;
    const std::string name = plans::job_name(job->id);
    out.channels = {"jobs", std::string(kJobPrefix) + name, "queue:" + job->lane->queue.text()};
    nlohmann::json body{
        {"at", to_rfc3339(job->at)},        {"attempt", job->attempt},  {"event", to_string(job->event)}, {"job_id", name},
        {"queue", job->lane->queue.text()}, {"status", job_word(*job)}, {"type", job->lane->type.text()}};
    if (!job->worker.empty() && !work::is_anonymous(job->worker)) body["worker_id"] = job->worker.text();
    if (!job->cause.empty()) body["cause"] = job->cause;
    out.text = dump(body);
  } else if (const auto* worker = std::get_if<WorkerChange>(&event.what)) {
    if (worker->ns.text() != kDefaultNamespace || work::is_anonymous(worker->id)) return out;
    out.channels = {"workers", "worker:" + worker->id.text()};
    nlohmann::json body{
        {"at", to_rfc3339(worker->at)}, {"event", "worker"}, {"status", worker_word(*worker)}, {"worker_id", worker->id.text()}};
    if (!worker->cause.empty()) body["cause"] = worker->cause;
    out.text = dump(body);
  } else if (const auto* queue = std::get_if<QueueChanged>(&event.what)) {
    if (queue->ns.text() != kDefaultNamespace) return out;
    out.channels = {"queue:" + queue->queue.text()};
    out.text = dump(nlohmann::json{
        {"at", to_rfc3339(queue->at)}, {"event", "queue"}, {"paused", queue->paused}, {"queue", queue->queue.text()}});
  }
  return out;
}

std::size_t Channels::tell(const Message& message) {
  std::size_t told_to = 0;
  for (const std::string& channel : message.channels) {
    if (const auto at = by_channel_.find(channel); at != by_channel_.end())
      for (const ClientId id : at->second)
        for (const auto& [asked, told] : readers_.at(id).channels) {
          if (told != channel) continue;
          core_.clients->push(id, channel_frame(*readers_.at(id).client, {"message", asked, message.text}));
          ++told_to;
        }
    for (const ClientId id : with_patterns_)
      for (const std::string& pattern : readers_.at(id).patterns) {
        if (!glob_matches(pattern, channel)) continue;
        core_.clients->push(id, channel_frame(*readers_.at(id).client, {"pmessage", pattern, channel, message.text}));
        ++told_to;
      }
  }
  return told_to;
}

bool Channels::is_told(std::string_view channel) {
  return channel == "jobs" || channel == "workers" || channel.starts_with(kJobPrefix) || channel.starts_with("worker:") ||
         channel.starts_with("queue:");
}

void Channels::tell_gap() {
  constexpr std::string_view kGap = R"({"event":"gap"})";
  for (const auto& [id, reader] : readers_) {
    for (const auto& [asked, told] : reader.channels)
      core_.clients->push(id, channel_frame(*reader.client, {"message", asked, kGap}));
    for (const std::string& pattern : reader.patterns)
      core_.clients->push(id, channel_frame(*reader.client, {"pmessage", pattern, pattern, kGap}));
  }
}

}  // namespace muster::resp
