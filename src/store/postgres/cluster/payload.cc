#include "store/postgres/cluster/payload.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"

namespace muster::store::postgres {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kDefaultSchema = "muster";
constexpr std::string_view kMoreTail = R"(],"more":true})";
constexpr std::string_view kTail = "]}";

// --- writing ---

// Names are nearly always plain; anything else goes the slow way, where bytes that are not UTF-8 are replaced: the database would
// refuse the whole batch for one of them.
void put_text(std::string& out, std::string_view text) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (!std::all_of(text.begin(), text.end(), plain)) {
    out += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

// `before` holds the comma and the key.
void put(std::string& out, std::string_view before, std::string_view value) {
  out += before;
  put_text(out, value);
}

template <class Number>
void put_number(std::string& out, std::string_view before, Number value) {
  out += before;
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.size());
}

std::string json_text(std::string_view text) {
  std::string out;
  put_text(out, text);
  return out;
}

std::string head_of(const std::string& node) { return fmt::format(R"({{"node":{},"sent_at":)", json_text(node)); }

// One channel's part of a batch: elements go into as many payloads as there is room for. `reserved` payloads are left to the
// kinds that come after it, so that each can at least say that there is more.
class Page {
 public:
  Page(std::string channel, std::string head, std::size_t reserved, std::vector<Payload>& into)
      : channel_(std::move(channel)), head_(std::move(head)), payloads_max_(kNotifyPayloadsMax - reserved), into_(into) {}

  void add(std::string_view element) {
    if (full_) return;
    if (!open_.empty() && open_.size() + 1 + element.size() + kMoreTail.size() > kNotifyBytesMax) close(false);
    if (open_.empty() && !start(element.size())) return;
    if (open_.size() > head_.size()) open_ += ',';
    open_ += element;
  }

  bool full() const { return full_; }
  // `more`: changes of this kind were left out before.
  void finish(bool more) {
    more = more || full_;
    if (more && open_.empty()) static_cast<void>(start(0));
    if (!open_.empty()) close(more);
  }

 private:
  bool start(std::size_t first) {
    if (into_.size() >= payloads_max_ || head_.size() + first + kMoreTail.size() > kNotifyBytesMax) {
      full_ = true;
      // Somebody who got a part must know that it is one.
      if (last_ != nullptr) mark_last();
      return false;
    }
    open_ = head_;
    return true;
  }
  void close(bool more) {
    open_ += more ? kMoreTail : kTail;
    into_.push_back({channel_, std::move(open_)});
    open_.clear();
    last_ = &into_.back().text;
  }
  void mark_last() {
    last_->resize(last_->size() - kTail.size());
    *last_ += kMoreTail;
    last_ = nullptr;
  }

  const std::string channel_;
  const std::string head_;
  const std::size_t payloads_max_;
  std::vector<Payload>& into_;
  std::string open_;
  std::string* last_ = nullptr;  // the payload closed last, while nothing was added to the batch since
  bool full_ = false;
};

std::string_view told(const std::string& cause) { return std::string_view(cause).substr(0, kCauseToldBytesMax); }

// The one that is written thousands of times a second.
void put_change(std::string& out, const JobChange& change, const Sender& sender) {
  put(out, R"({"id":)", change.id.text());
  put(out, R"(,"event":)", to_string(change.event));
  put(out, R"(,"state":)", to_string(change.to));
  if (change.from) put(out, R"(,"from":)", to_string(*change.from));
  if (change.lane != nullptr) {
    put(out, R"(,"ns":)", change.lane->ns.text());
    put(out, R"(,"queue":)", change.lane->queue.text());
    put(out, R"(,"type":)", change.lane->type.text());
    if (const LaneKey lane = sender.lane_number(change.lane); lane != 0) put_number(out, R"(,"lane":)", lane);
  }
  put_number(out, R"(,"attempt":)", change.attempt);
  put_number(out, R"(,"fence":)", to_number(change.fence));
  if (!change.worker.empty()) put(out, R"(,"worker":)", change.worker.text());
  if (!change.cause.empty()) put(out, R"(,"cause":)", told(change.cause));
  put_number(out, R"(,"at":)", to_ms(change.at));
  out += '}';
}

void put_change(std::string& out, const WorkerChange& change) {
  put(out, R"({"ns":)", change.ns.text());
  put(out, R"(,"id":)", change.id.text());
  put_number(out, R"(,"session":)", to_number(change.session));
  if (change.from) put(out, R"(,"from":)", to_string(*change.from));
  put(out, R"(,"state":)", to_string(change.to));
  if (!change.cause.empty()) put(out, R"(,"cause":)", told(change.cause));
  put_number(out, R"(,"at":)", to_ms(change.at));
  out += '}';
}

void put_change(std::string& out, const QueueChanged& change) {
  put(out, R"({"ns":)", change.ns.text());
  put(out, R"(,"queue":)", change.queue.text());
  out += change.paused ? R"(,"paused":true)" : R"(,"paused":false)";
  put_number(out, R"(,"at":)", to_ms(change.at));
  out += '}';
}

void put_wake(std::string& out, LaneKey lane, std::uint32_t count) {
  if (count == 1) {
    put_number(out, "", lane);
    return;
  }
  put_number(out, "[", lane);
  put_number(out, ",", count);
  out += ']';
}

void put_key(std::string& out, const std::pair<std::string, std::string>& key) {
  put(out, "[", key.first);
  put(out, ",", to_base64(key.second));
  out += ']';
}

template <class T>
bool add_bounded(std::vector<T>& into, const std::vector<T>& from) {
  const std::size_t room = kBacklogChangesMax - std::min(kBacklogChangesMax, into.size());
  const std::size_t taken = std::min(room, from.size());
  into.insert(into.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(taken));
  return taken < from.size();
}

// --- reading ---

Json parsed(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_object() ? json : Json::object();
}

const Json& list_of(const Json& json, const char* key) {
  static const Json kEmpty = Json::array();
  const auto it = json.find(key);
  return it != json.end() && it->is_array() ? *it : kEmpty;
}

std::string text_of(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::int64_t number_of(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_number_integer() ? it->get<std::int64_t>() : 0;
}

bool flag_of(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_boolean() && it->get<bool>();
}

std::optional<JobEvent> event_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(JobEvent::pruned); ++i)
    if (to_string(static_cast<JobEvent>(i)) == name) return static_cast<JobEvent>(i);
  return std::nullopt;
}

std::optional<JobChange> job_change(const Json& json, const Directory& directory, bool& look) {
  if (!json.is_object()) return std::nullopt;
  const auto id = JobId::parse(text_of(json, "id"));
  const auto event = event_named(text_of(json, "event"));
  const auto to = parse_job_state(text_of(json, "state"));
  if (!id || !event || !to) return std::nullopt;
  JobChange change;
  change.id = *id;
  change.event = *event;
  change.to = *to;
  change.from = parse_job_state(text_of(json, "from"));
  const LanePtr lane = directory.lane(static_cast<LaneKey>(number_of(json, "lane")));
  if (lane != nullptr) {
    change.lane = lane->lane;
  } else {
    // What the job needs is not known here; everything else the notification says itself.
    look = true;
    change.lane = std::make_shared<const Lane>(
        Lane{NamespaceName(text_of(json, "ns")), QueueName(text_of(json, "queue")), JobType(text_of(json, "type")), {}});
  }
  change.attempt = static_cast<std::uint32_t>(number_of(json, "attempt"));
  change.fence = Fence{static_cast<std::uint64_t>(number_of(json, "fence"))};
  change.worker = WorkerId(text_of(json, "worker"));
  change.cause = text_of(json, "cause");
  change.at = from_ms(number_of(json, "at"));
  return change;
}

std::optional<WorkerChange> worker_change(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto to = parse_worker_state(text_of(json, "state"));
  if (!to || text_of(json, "id").empty()) return std::nullopt;
  WorkerChange change;
  change.ns = NamespaceName(text_of(json, "ns"));
  change.id = WorkerId(text_of(json, "id"));
  change.session = SessionId{static_cast<std::uint64_t>(number_of(json, "session"))};
  change.from = parse_worker_state(text_of(json, "from"));
  change.to = *to;
  change.at = from_ms(number_of(json, "at"));
  change.cause = text_of(json, "cause");
  return change;
}

void hear_lanes(const Json& json, const Directory& directory, Heard& heard) {
  heard.look = flag_of(json, "more");
  for (const Json& entry : list_of(json, "lanes")) {
    const bool counted = entry.is_array() && entry.size() == 2 && entry[0].is_number_integer() && entry[1].is_number_integer();
    if (!counted && !entry.is_number_integer()) continue;
    const LanePtr lane = directory.lane((counted ? entry[0] : entry).get<LaneKey>());
    const std::int64_t count = counted ? entry[1].get<std::int64_t>() : 1;
    if (lane == nullptr) {
      heard.look = true;
      continue;
    }
    for (std::int64_t i = 0; i < count && heard.changes.wakes.size() < kWakesHeardMax; ++i) heard.changes.wakes.push_back(lane);
  }
}

void hear_keys(const Json& json, Heard& heard) {
  for (const Json& entry : list_of(json, "keys")) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_string()) continue;
    if (auto key = from_base64(entry[1].get_ref<const std::string&>()))
      heard.changes.keys.push_back({NamespaceName(entry[0].get<std::string>()), std::move(*key)});
  }
}

}  // namespace

Channels::Channels(const std::string& schema) {
  const std::string prefix = schema.empty() ? std::string(kDefaultSchema) : schema;
  jobs = prefix + "_jobs";
  workers = prefix + "_workers";
  queues = prefix + "_queues";
  lanes = prefix + "_lanes";
  keys = prefix + "_keys";
  test = prefix + "_test";
}

void Backlog::add(const Changes& changes) {
  more_jobs |= add_bounded(jobs, changes.jobs);
  more_workers |= add_bounded(workers, changes.workers);
  more_queues |= add_bounded(queues, changes.queues);
  for (const LanePtr& lane : changes.wakes) {
    if (wakes.size() < kBacklogLanesMax || wakes.contains(lane->key))
      ++wakes[lane->key];
    else
      more_wakes = true;
  }
  for (const KeyPushed& pushed : changes.keys) {
    if (pushed.key.size() > kKeyToldBytesMax ||
        (keys.size() >= kBacklogKeysMax && !keys.contains({pushed.ns.text(), pushed.key})))
      more_keys = true;
    else
      keys.emplace(pushed.ns.text(), pushed.key);
  }
}

void Backlog::lost(const Backlog& sent) {
  more_jobs |= sent.more_jobs || !sent.jobs.empty();
  more_workers |= sent.more_workers || !sent.workers.empty();
  more_queues |= sent.more_queues || !sent.queues.empty();
  more_wakes |= sent.more_wakes || !sent.wakes.empty();
  more_keys |= sent.more_keys || !sent.keys.empty();
}

std::vector<Payload> to_payloads(const Backlog& backlog, const Channels& channels, const Sender& sender) {
  std::vector<Payload> out;
  out.reserve(kNotifyPayloadsMax);  // pages point into it
  const std::string who = head_of(sender.node) + fmt::format("{}", sender.sent_at_ms);
  if (!backlog.probe.empty()) out.push_back({channels.test, fmt::format(R"({},"probe":{}}})", who, json_text(backlog.probe))});

  std::string element;
  const auto add = [&element](Page& page, auto&& write) {
    if (page.full()) return;
    element.clear();
    write(element);
    page.add(element);
  };
  Page lanes(channels.lanes, fmt::format(R"({},"version":{},"lanes":[)", who, sender.directory_version), 4, out);
  for (const auto& [lane, count] : backlog.wakes) add(lanes, [&](std::string& to) { put_wake(to, lane, count); });
  lanes.finish(backlog.more_wakes);

  Page keys(channels.keys, who + R"(,"keys":[)", 3, out);
  for (const auto& key : backlog.keys) add(keys, [&](std::string& to) { put_key(to, key); });
  keys.finish(backlog.more_keys);

  const std::string head = who + R"(,"changes":[)";
  Page queues(channels.queues, head, 2, out);
  for (const QueueChanged& change : backlog.queues) add(queues, [&](std::string& to) { put_change(to, change); });
  queues.finish(backlog.more_queues);

  Page workers(channels.workers, head, 1, out);
  for (const WorkerChange& change : backlog.workers) add(workers, [&](std::string& to) { put_change(to, change); });
  workers.finish(backlog.more_workers);

  Page jobs(channels.jobs, head, 0, out);
  for (const JobChange& change : backlog.jobs) add(jobs, [&](std::string& to) { put_change(to, change, sender); });
  jobs.finish(backlog.more_jobs);
  return out;
}

std::optional<std::int64_t> sent_by(std::string_view text, const std::string& node) {
  const std::string head = head_of(node);
  if (!text.starts_with(head)) return std::nullopt;
  std::int64_t at = 0;
  std::from_chars(text.data() + head.size(), text.data() + text.size(), at);
  return at;
}

Heard from_payload(std::string_view channel, std::string_view text, const Channels& channels, const Directory& directory) {
  Heard heard;
  const Json json = parsed(text);
  if (channel == channels.lanes) {
    hear_lanes(json, directory, heard);
  } else if (channel == channels.keys) {
    hear_keys(json, heard);
  } else if (channel == channels.jobs) {
    for (const Json& entry : list_of(json, "changes"))
      if (auto change = job_change(entry, directory, heard.look)) heard.changes.jobs.push_back(std::move(*change));
  } else if (channel == channels.workers) {
    for (const Json& entry : list_of(json, "changes"))
      if (auto change = worker_change(entry)) heard.changes.workers.push_back(std::move(*change));
  } else if (channel == channels.queues) {
    for (const Json& entry : list_of(json, "changes"))
      if (entry.is_object() && !text_of(entry, "queue").empty())
        heard.changes.queues.push_back({NamespaceName(text_of(entry, "ns")), QueueName(text_of(entry, "queue")),
                                        flag_of(entry, "paused"), from_ms(number_of(entry, "at"))});
  }
  return heard;
}

std::string probe_of(std::string_view text) { return text_of(parsed(text), "probe"); }

}  // namespace muster::store::postgres
