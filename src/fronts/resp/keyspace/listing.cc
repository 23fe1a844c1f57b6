// KEYS and SCAN: the names of the views and of the ordinary keys. A walk by SCAN goes through the views first.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "command/keys.h"
#include "fronts/resp/core.h"
#include "fronts/resp/keyspace/arguments.h"
#include "fronts/resp/keyspace/pages.h"
#include "fronts/resp/keyspace/words.h"
#include "fronts/resp/views/keys.h"
#include "fronts/resp/views/view_key.h"
#include "fronts/resp/wire/writer.h"

namespace muster::resp::keyspace {
namespace {

using store::KeyAnswer;
using store::KeyType;
using Answers = std::vector<KeyAnswer>;

constexpr std::size_t kListedNamesMax = 250'000;  // of one KEYS
constexpr std::size_t kListedBytesMax = 64 * 1024 * 1024;
constexpr std::size_t kPatternBytesMax = 1'024;

std::string too_long(std::string_view pattern) {
  return fmt::format("Pattern length {} exceeds maximum {}", pattern.size(), kPatternBytesMax);
}

KeyType type_of(views::Kind kind) {
  using views::Kind;
  switch (kind) {
    case Kind::worker:
    case Kind::plan_stats:
    case Kind::action: return KeyType::hash;
    case Kind::capability: return KeyType::set;
    case Kind::plan_actions:
    case Kind::plan_jobs:
    case Kind::action_jobs:
    case Kind::queue:
    case Kind::processing: return KeyType::list;
    case Kind::scheduled:
    case Kind::all_plans:
    case Kind::all_actions:
    case Kind::all_workers: return KeyType::scores;
    case Kind::worker_metadata:
    case Kind::worker_alive:
    case Kind::worker_stats:
    case Kind::worker_tools:
    case Kind::worker_tags:
    case Kind::job:
    case Kind::job_worker:
    case Kind::job_status:
    case Kind::job_stdout:
    case Kind::job_stderr:
    case Kind::job_metadata:
    case Kind::job_plan:
    case Kind::job_input:
    case Kind::job_output:
    case Kind::plan: return KeyType::text;
  }
  return KeyType::text;
}

// --- KEYS ---

class Listing : public std::enable_shared_from_this<Listing> {
 public:
  explicit Listing(CallRef call) : call_(std::move(call)) {}

  void start() {
    list_view_keys(call_, call_->arg(1), [self = shared_from_this()](std::vector<std::string> names) {
      for (std::string& name : names) self->add(std::move(name));
      self->next_page({});
    });
  }

 private:
  void add(std::string name) {
    bytes_ += name.size();
    names_.push_back(std::move(name));
  }

  void next_page(std::string after) {
    store::KeyBatch batch;
    batch.commands.emplace_back(store::key::Names{.after = std::move(after), .pattern = call_->arg(1), .type = {}, .limit = 0});
    ask(call_, command::KeysReadRequest{std::move(batch)}, [self = shared_from_this()](Result<Answers> answers) {
      if (!answers.ok()) return self->call_->fail(error_text(answers.status()));
      self->take(answers->front());
    });
  }

  void take(KeyAnswer& page) {
    if (page.kind != KeyAnswer::Kind::list || page.list.empty()) return call_->fail(page.text);
    for (std::size_t i = 1; i < page.list.size(); ++i) add(std::move(page.list[i].text));
    if (names_.size() > kListedNamesMax || bytes_ > kListedBytesMax)
      return call_->fail(fmt::format("more keys match than kListedNamesMax ({}) or kListedBytesMax ({} bytes); use SCAN",
                                     kListedNamesMax, kListedBytesMax));
    if (!page.list.front().text.empty()) return next_page(std::move(page.list.front().text));
    std::string out;
    wire::array(out, names_.size());
    for (const std::string& name : names_) wire::bulk(out, name);
    call_->answer(std::move(out));
  }

  const CallRef call_;
  std::vector<std::string> names_;
  std::size_t bytes_ = 0;
};

void list_keys(const CallRef& call) {
  if (call->arg(1).size() > kPatternBytesMax) return call->fail(too_long(call->arg(1)));
  std::make_shared<Listing>(call)->start();
}

// --- SCAN ---

class Scan : public std::enable_shared_from_this<Scan> {
 public:
  Scan(CallRef call, PageRequest page) : call_(std::move(call)), page_(std::move(page)) {}

  // A walk begins in the views.
  void start(bool from_the_beginning) {
    if (!from_the_beginning && !page_.place.in_views) return scan_keys();
    list_view_keys(call_, page_.pattern.empty() ? "*" : page_.pattern,
                   [self = shared_from_this()](const std::vector<std::string>& names) { self->take_views(names); });
  }

 private:
  void take_views(const std::vector<std::string>& names) {
    auto name = page_.place.after.empty() ? names.begin() : std::upper_bound(names.begin(), names.end(), page_.place.after);
    for (std::size_t met = 0; name != names.end() && met < page_.count; ++name, ++met) {
      const auto view = views::parse_view_key(*name);
      if (!page_.type || (view && type_of(view->kind) == *page_.type)) found_.push_back(*name);
    }
    if (name != names.end()) return finish(call_->core().cursors.add({.in_views = true, .after = *std::prev(name)}));
    page_.place.after.clear();
    scan_keys();
  }

  void scan_keys() {
    store::KeyBatch batch;
    batch.commands.emplace_back(
        store::key::Names{.after = page_.place.after, .pattern = page_.pattern, .type = page_.type, .limit = page_.count});
    ask(call_, command::KeysReadRequest{std::move(batch)}, [self = shared_from_this()](Result<Answers> answers) {
      if (!answers.ok()) return self->call_->fail(error_text(answers.status()));
      KeyAnswer& page = answers->front();
      if (page.kind != KeyAnswer::Kind::list || page.list.empty()) return self->call_->fail(page.text);
      for (std::size_t i = 1; i < page.list.size(); ++i) self->found_.push_back(std::move(page.list[i].text));
      std::string next = std::move(page.list.front().text);
      self->finish(next.empty() ? 0 : self->call_->core().cursors.add({.in_views = false, .after = std::move(next)}));
    });
  }

  void finish(std::uint64_t cursor) {
    std::string out;
    wire::array(out, 2);
    wire::bulk(out, fmt::format("{}", cursor));
    wire::array(out, found_.size());
    for (const std::string& name : found_) wire::bulk(out, name);
    call_->answer(std::move(out));
  }

  const CallRef call_;
  PageRequest page_;
  std::vector<std::string> found_;
};

void scan(const CallRef& call) {
  auto page = read_page(*call, 1);
  if (!page.ok()) return call->fail(page.status().message());
  if (page->pattern.size() > kPatternBytesMax) return call->fail(too_long(page->pattern));
  std::make_shared<Scan>(call, std::move(*page))->start(natural(call->arg(1)) == std::uint64_t{0});
}

constexpr Word listing(std::string_view name, std::size_t least, std::size_t most, std::string_view summary, Handler handler) {
  Word made = word(name, {least, most}, kNoKeys, kReads, "generic", summary, nullptr);
  made.entry.flow = Flow::alone;
  made.entry.handler = handler;
  return made;
}

constexpr std::array kListingWords{
    listing("KEYS", 2, 2, "The names that match a pattern.", list_keys),
    listing("SCAN", 2, kMany, "A page of names; MATCH, COUNT, TYPE.", scan),
};

}  // namespace

std::span<const Word> listing_words() { return kListingWords; }

}  // namespace muster::resp::keyspace
