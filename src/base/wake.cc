#include "base/wake.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace muster {
namespace {

struct Round {
  std::size_t depth = 0;
  std::vector<std::shared_ptr<Sleeper>> sleepers;  // a handful: they are looked through
};
thread_local Round t_round;

}  // namespace

bool in_wake_round() { return t_round.depth > 0; }

void wake(const std::shared_ptr<Sleeper>& who) {
  if (!in_wake_round()) return who->wake();
  auto& sleepers = t_round.sleepers;
  if (std::find(sleepers.begin(), sleepers.end(), who) == sleepers.end()) sleepers.push_back(who);
}

void wake_all_asked() {
  for (const std::shared_ptr<Sleeper>& who : t_round.sleepers) who->wake();
  t_round.sleepers.clear();
}

WakeRound::WakeRound() { ++t_round.depth; }

WakeRound::~WakeRound() {
  if (--t_round.depth == 0) wake_all_asked();
}

}  // namespace muster
