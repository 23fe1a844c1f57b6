// Pure facts about workers, in the words of the dialect.
#include <algorithm>
#include <vector>

#include "fronts/resp/work/names.h"
#include "fronts/resp/work/work.h"

namespace muster::resp::work {

bool is_anonymous(const WorkerId& worker) { return worker.text().starts_with(kAnonymousPrefix); }

// A registration's own words are kept as its metadata; a name alone has none.
bool is_pinged(const WorkerSpec& spec) { return spec.dialect == Dialect::resp && spec.metadata.empty(); }

std::string_view state_word(const Worker& worker) {
  switch (worker.state) {
    case WorkerState::online: return "ACTIVE";
    case WorkerState::draining: return "DRAINING";
    case WorkerState::offline: break;
  }
  // Replaced, drained and unregistered workers left in order; only silence is death.
  return worker.offline_cause == "silent" ? "DEAD" : "UNREGISTERED";
}

std::vector<std::string> tools_of(const WorkerSpec& spec) {
  std::vector<std::string> tools;
  for (const std::string& name : spec.capabilities.names())
    if (name.starts_with(kToolKind)) tools.push_back(name.substr(kToolKind.size()));
  return tools;
}

std::string tags_of(const WorkerSpec& spec) {
  const auto at = spec.labels.find(kTagsLabel);
  return at == spec.labels.end() ? std::string() : at->second;
}

}  // namespace muster::resp::work
