#include "fronts/resp/views/removal.h"

#include <algorithm>
#include <set>
#include <utility>

#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/views/queue_jobs.h"
#include "fronts/resp/work/element.h"
#include "fronts/resp/work/work.h"

namespace muster::resp::views {

Removal::Removal(std::vector<std::string> elements, std::int64_t count) : count_(count) {
  elements_.reserve(elements.size());  // what by_text_ looks at stays where it is
  for (std::string& element : elements) {
    if (by_text_.contains(element)) continue;
    const std::size_t place = elements_.size();
    elements_.push_back(std::move(element));
    by_text_.emplace(elements_.back(), place);
    if (const auto id = work::parse_job_id(elements_.back())) {
      by_id_[*id].push_back(place);
      continue;
    }
    const work::ElementFacts facts = work::read_element(elements_.back());
    if (!facts.job_id) continue;
    by_name_[*facts.job_id].push_back(place);
    if (const auto id = work::parse_job_id(*facts.job_id)) by_id_[*id].push_back(place);
  }
  meant_.resize(elements_.size());
  open_ = elements_.size();
}

void Removal::note(std::size_t place, const JobId& job) {
  std::vector<JobId>& meant = meant_[place];
  if (!meant.empty() && meant.back() == job) return;
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(count_, 0));
  if (most > 0 && meant.size() == most) return;
  meant.push_back(job);
  if (meant.size() == most) --open_;
}

void Removal::look_at(const Job& job) {
  const std::string name = plans::job_name(job.id, job.spec.labels);
  if (const auto found = by_text_.find(element_of(job)); found != by_text_.end()) note(found->second, job.id);
  if (const auto found = by_text_.find(name); found != by_text_.end()) note(found->second, job.id);
  if (const auto found = by_name_.find(name); found != by_name_.end())
    for (const std::size_t place : found->second) note(place, job.id);
  if (const auto found = by_id_.find(job.id); found != by_id_.end())
    for (const std::size_t place : found->second) note(place, job.id);
}

std::vector<JobId> Removal::chosen() const {
  std::vector<JobId> out;
  std::set<JobId> seen;
  const auto take = [&](const JobId& job) {
    if (seen.insert(job).second) out.push_back(job);
  };
  for (const std::vector<JobId>& meant : meant_) {
    if (count_ >= 0) {
      std::for_each(meant.begin(), meant.end(), take);
      continue;
    }
    const std::size_t most = std::min<std::size_t>(meant.size(), 0 - static_cast<std::uint64_t>(count_));
    std::for_each(meant.rbegin(), meant.rbegin() + static_cast<std::ptrdiff_t>(most), take);
  }
  return out;
}

}  // namespace muster::resp::views
