#include "command/submission.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "engine/task_terms.h"

namespace muster::command {
namespace {

using engine::TaskTerms;
using Enqueued = std::vector<store::Enqueued>;

// Up to a page of what is asked about; the rest stays.
std::vector<std::string> take_some(std::set<std::string>& names) {
  std::vector<std::string> out;
  while (!names.empty() && out.size() < limits::kResourceBatchMax) out.push_back(names.extract(names.begin()).value());
  return out;
}

// One submission that has to look something up. Its answers come one after the other, and keep it alive.
class Submission : public std::enable_shared_from_this<Submission> {
 public:
  Submission(engine::Engine& engine, std::vector<JobSpec> jobs, std::map<std::size_t, TaskTerms> terms, Reply<Enqueued> reply)
      : engine_(engine), jobs_(std::move(jobs)), terms_(std::move(terms)), reply_(std::move(reply)) {
    for (const auto& [place, each] : terms_) {
      Asked& asked = asked_[jobs_[place].ns];
      for (const engine::ResourceRef& ref : each.refs) asked.resources.insert(ref.id);
      if (each.asks_for_place()) asked.places.insert(each.affinity->key);
    }
  }

  void look_up() {
    for (auto& [ns, asked] : asked_) {
      if (!asked.resources.empty()) return ask_resources(ns, take_some(asked.resources));
      if (!asked.places.empty()) return ask_places(ns, take_some(asked.places));
    }
    enqueue();
  }

 private:
  struct Asked {
    std::set<std::string> resources;
    std::set<std::string> places;
  };

  void ask_resources(const NamespaceName& ns, std::vector<std::string> ids) {
    engine_.resources().get(ns, ids, [self = shared_from_this(), ns, ids](Result<store::Each<Resource>> found) {
      if (!found.ok()) return self->reply_(found.status());
      for (std::size_t i = 0; i < ids.size(); ++i)
        if ((*found)[i].ok()) self->facts_[ns].resources.emplace(ids[i], *(*found)[i]);
      self->look_up();
    });
  }

  void ask_places(const NamespaceName& ns, std::vector<std::string> keys) {
    engine_.resources().last_places(ns, keys, [self = shared_from_this(), ns, keys](Result<std::vector<WorkerId>> found) {
      if (!found.ok()) return self->reply_(found.status());
      for (std::size_t i = 0; i < keys.size(); ++i)
        if (!(*found)[i].empty()) self->facts_[ns].places.emplace(keys[i], (*found)[i]);
      self->look_up();
    });
  }

  void enqueue() {
    const Instant now = engine_.clock().now();
    for (const auto& [place, each] : terms_) {
      engine::TaskFacts& facts = facts_[jobs_[place].ns];
      facts.now = now;
      engine::TaskVerdict verdict = engine::apply_task_terms(jobs_[place], each, facts);
      if (!verdict.refused.ok())
        return reply_(jobs_.size() == 1 ? verdict.refused : verdict.refused.annotate(fmt::format("job {}", place)));
      if (verdict.missing) missing_.emplace(place, *std::move(verdict.missing));
    }
    engine_.jobs().enqueue(std::move(jobs_), [self = shared_from_this()](Result<Enqueued> made) {
      if (!made.ok()) return self->reply_(made.status());
      self->end_missing(*std::move(made));
    });
  }

  // Nobody can claim them, so nobody has. One that existed before is whatever it is.
  void end_missing(Enqueued made) {
    std::vector<store::Cancel> ends;
    std::vector<std::size_t> places;
    for (auto& [place, error] : missing_) {
      if (made[place].existed) continue;
      ends.push_back({.job = made[place].id, .reason = error.message, .at_once = true, .as_dead = error});
      places.push_back(place);
    }
    if (ends.empty()) return reply_(std::move(made));
    engine_.jobs().cancel(std::move(ends), [self = shared_from_this(), made = std::move(made), places = std::move(places)](
                                               const Result<store::Each<store::Cancelled>>& ended) mutable {
      // The sweep ends what could not be ended here.
      for (std::size_t i = 0; ended.ok() && i < places.size(); ++i)
        if ((*ended)[i].ok()) made[places[i]].state = (*ended)[i]->state;
      self->reply_(std::move(made));
    });
  }

  engine::Engine& engine_;
  std::vector<JobSpec> jobs_;
  const std::map<std::size_t, TaskTerms> terms_;  // by place among the jobs
  Reply<Enqueued> reply_;
  std::map<NamespaceName, Asked> asked_;
  std::map<NamespaceName, engine::TaskFacts> facts_;
  std::map<std::size_t, JobError> missing_;
};

}  // namespace

void submit_jobs(engine::Engine& engine, std::vector<JobSpec> jobs, Reply<Enqueued> reply) {
  std::map<std::size_t, TaskTerms> terms;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    auto read = engine::read_task_terms(jobs[i]);
    if (!read.ok()) return reply(jobs.size() == 1 ? read.status() : read.status().annotate(fmt::format("job {}", i)));
    if (*read) terms.emplace(i, **std::move(read));
  }
  if (terms.empty()) return engine.jobs().enqueue(std::move(jobs), std::move(reply));
  std::make_shared<Submission>(engine, std::move(jobs), std::move(terms), std::move(reply))->look_up();
}

}  // namespace muster::command
