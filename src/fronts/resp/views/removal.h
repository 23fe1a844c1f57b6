// Which waiting jobs LREM and ZREM mean. An element names a job by what was pushed, by its id or name, or by a document that
// names it, so each element is read once and each job is looked up among them: the cost is elements plus jobs, not one by the
// other.
//
// Jobs are shown the newest first, a page at a time. Lives on the loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/job.h"

namespace muster::resp::views {

class Removal {
 public:
  // How many of each element: > 0 from the newest on, < 0 from the oldest on, 0 all.
  Removal(std::vector<std::string> elements, std::int64_t count);
  Removal(const Removal&) = delete;
  Removal& operator=(const Removal&) = delete;

  void look_at(const Job& job);
  // Nothing that is still to be seen can change what is chosen.
  bool is_complete() const { return count_ > 0 && open_ == 0; }
  // Each job once, in the order of the elements.
  std::vector<JobId> chosen() const;

 private:
  using Places = std::vector<std::size_t>;
  void note(std::size_t place, const JobId& job);

  std::vector<std::string> elements_;  // different ones
  const std::int64_t count_;
  std::unordered_map<std::string_view, std::size_t> by_text_;
  std::unordered_map<std::string, Places> by_name_;  // of documents
  std::map<JobId, Places> by_id_;
  std::vector<std::vector<JobId>> meant_;  // by the element at the same place, the newest first
  std::size_t open_ = 0;                   // elements that may take more jobs
};

}  // namespace muster::resp::views
