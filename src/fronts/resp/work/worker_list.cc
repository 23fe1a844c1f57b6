// WORKER.LIST [STATE s] [TOOL t] [TAG k=v] … [LIMIT n] [CURSOR c]: workers as JSON, by id.
//
// Without CURSOR an array of documents; with it (0 to begin) what SCAN answers: the next cursor, 0 at the end, and the array.
#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/json_reader.h"
#include "command/keys.h"
#include "command/workers.h"
#include "fronts/resp/core.h"
#include "fronts/resp/work/access.h"
#include "fronts/resp/work/handlers.h"
#include "fronts/resp/work/names.h"
#include "fronts/resp/work/roster.h"
#include "fronts/resp/work/verify.h"
#include "fronts/resp/work/work.h"
#include "plan/plan.h"

namespace muster::resp::work {
namespace {

using Json = json::Tree;

constexpr std::size_t kPagesMax = 100;  // of the registry, looked at for one answer

struct ListRequest {
  std::string state;  // empty: all
  std::string tool;
  Labels tags;
  std::size_t limit = limits::kPageDefault;
  std::optional<std::string> cursor;
};

Status read_option(ListRequest& out, const std::string& name, const std::string& value) {
  if (name == "STATE") {
    out.state = upper(value);
    if (out.state != "ACTIVE" && out.state != "DRAINING" && out.state != "DEAD" && out.state != "UNREGISTERED")
      return Status::invalid_argument("state must be one of: ACTIVE, DRAINING, DEAD, UNREGISTERED");
  } else if (name == "TOOL") {
    out.tool = value;
  } else if (name == "TAG") {
    const std::size_t equals = value.find('=');
    if (equals == std::string::npos || equals == 0) return Status::invalid_argument("TAG must be key=value");
    out.tags[value.substr(0, equals)] = value.substr(equals + 1);
  } else if (name == "LIMIT") {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out.limit);
    if (error != std::errc() || end != value.data() + value.size() || out.limit < 1 || out.limit > limits::kPageMax)
      return Status::invalid_argument(fmt::format("limit must be an integer from 1 to {}", limits::kPageMax));
  } else if (name == "CURSOR") {
    out.cursor = value == "0" ? std::string() : value;
  } else {
    return Status::invalid_argument(fmt::format("Unknown WORKER.LIST option: {}", name));
  }
  return {};
}

Result<ListRequest> read_list(const Args& args) {
  ListRequest out;
  for (std::size_t i = 1; i < args.size(); i += 2) {
    const std::string name = upper(args[i]);
    if (i + 1 == args.size()) return Status::invalid_argument(fmt::format("{} requires a value", name));
    if (Status status = read_option(out, name, args[i + 1]); !status.ok()) return status;
  }
  return out;
}

bool matches(const ListRequest& request, const Worker& worker) {
  if (is_anonymous(worker.spec.id)) return false;
  if (!request.state.empty() && state_word(worker) != request.state) return false;
  // One that did not say which tools it has may have any.
  return request.tool.empty() || worker.spec.capabilities.covers(CapabilitySet({plan::tool_capability(request.tool)}));
}

std::int64_t seconds(Instant at) { return to_ms(at) / 1000; }

// What the front learnt about one worker's session.
struct Learnt {
  std::optional<std::string> flag;
  std::vector<std::string> verified;
};

std::string document(const Worker& worker, const Learnt& learnt) {
  const std::vector<std::string> tools = tools_of(worker.spec);
  std::vector<std::string> unverified;
  std::set_difference(tools.begin(), tools.end(), learnt.verified.begin(), learnt.verified.end(), std::back_inserter(unverified));
  Json out{{"worker_id", worker.spec.id.text()},
           {"state", state_word(worker)},
           {"active_jobs", worker.running},
           {"max_concurrent_jobs", worker.spec.slots},
           {"completed_jobs", worker.completed},
           {"failed_jobs", worker.failed},
           {"hostname", worker.spec.hostname},
           {"agw_version", worker.spec.version},
           {"last_seen", seconds(worker.last_seen_at)},
           {"registered_at", seconds(worker.registered_at)},
           {"registered_by", is_pinged(worker.spec) ? "ping" : std::string(to_string(worker.spec.dialect))},
           {"tools", tools},
           {"verified_tools", learnt.verified},
           {"unverified_tools", unverified},
           {"tags", worker.spec.labels},
           {"flagged", learnt.flag.has_value()}};
  if (learnt.flag)
    if (auto flag = json::parse_object(*learnt.flag)) out["flag"] = *std::move(flag);
  if (!worker.stats.empty())
    if (auto stats = json::parse_object(worker.stats)) out["stats"] = *std::move(stats);
  if (worker.offline_at) out["ended_at"] = seconds(*worker.offline_at);
  return json::dump(out);
}

class Listing : public std::enable_shared_from_this<Listing> {
 public:
  Listing(CallRef call, ListRequest request) : call_(std::move(call)), request_(std::move(request)) {
    cursor_ = request_.cursor.value_or("");
  }

  void page() {
    store::WorkerQuery query;
    query.ns = NamespaceName(kDefaultNamespace);
    query.labels = request_.tags;
    query.limit = request_.limit - workers_.size();
    query.cursor = cursor_;
    auto listed = [self = shared_from_this()](Result<store::WorkerPage> page) {
      if (!page.ok()) return refuse(self->call_, page.status());
      for (Worker& worker : page->workers)
        if (matches(self->request_, worker)) self->workers_.push_back(std::move(worker));
      self->cursor_ = std::move(page->next);
      ++self->pages_;
      const bool more = !self->cursor_.empty() && self->workers_.size() < self->request_.limit && self->pages_ < kPagesMax;
      more ? self->page() : self->learn();
    };
    ask(call_, std::move(query), std::move(listed));
  }

 private:
  Core& core() { return call_->core(); }

  void learn() {
    if (workers_.empty()) return answer({});
    store::KeyBatch batch;
    batch.space = store::KeySpace::internal;
    for (const Worker& worker : workers_) {
      batch.commands.emplace_back(store::key::Get{flag_key(worker.spec.id, worker.session)});
      batch.commands.emplace_back(store::key::HashAll{.key = verified_key(worker.spec.id, worker.session)});
    }
    auto read = [self = shared_from_this()](Result<std::vector<store::KeyAnswer>> answers) {
      if (!answers.ok()) return refuse(self->call_, answers.status());
      self->answer(*answers);
    };
    ask(call_, command::KeysReadRequest{std::move(batch)}, std::move(read));
  }

  static Learnt learnt(const store::KeyAnswer& flag, const store::KeyAnswer& verdicts) {
    Learnt out;
    if (flag.kind == store::KeyAnswer::Kind::text) out.flag = flag.text;
    for (std::size_t i = 0; i + 1 < verdicts.list.size(); i += 2)
      if (says_verified(verdicts.list[i + 1].text)) out.verified.push_back(verdicts.list[i].text);
    return out;
  }

  void answer(const std::vector<store::KeyAnswer>& facts) {
    std::string out;
    if (request_.cursor) {
      wire::array(out, 2);
      wire::bulk(out, cursor_.empty() ? "0" : cursor_);
    }
    wire::array(out, workers_.size());
    for (std::size_t i = 0; i < workers_.size(); ++i)
      wire::bulk(out, document(workers_[i], learnt(facts[2 * i], facts[2 * i + 1])));
    call_->answer(std::move(out));
  }

  CallRef call_;
  ListRequest request_;
  std::string cursor_;
  std::size_t pages_ = 0;
  std::vector<Worker> workers_;
};

}  // namespace

void list_workers(const CallRef& call) {
  auto request = read_list(call->args());
  if (!request.ok()) return refuse(call, request.status());
  std::make_shared<Listing>(call, *std::move(request))->page();
}

}  // namespace muster::resp::work
