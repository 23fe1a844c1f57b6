#include "base/wake.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace muster {
namespace {

// Work that leads to more work is done as often before the rest is left to whoever sleeps.
constexpr int kHelpedMax = 16;

struct Round {
  std::size_t depth = 0;
  std::vector<std::shared_ptr<Sleeper>> sleepers;  // a handful: they are looked through
  std::vector<std::shared_ptr<Sleeper>> helped;    // its memory is used again
};
thread_local Round t_round;

void help() {
  for (int i = 0; i < kHelpedMax && !t_round.sleepers.empty(); ++i) {
    t_round.helped.swap(t_round.sleepers);
    for (const std::shared_ptr<Sleeper>& who : t_round.helped)
      if (!who->work_here()) who->wake();
    t_round.helped.clear();
  }
}

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

WakeRound::WakeRound(Helps helps) : helps_(helps) { ++t_round.depth; }

WakeRound::~WakeRound() {
  // The round goes on meanwhile: whom the work asks for is helped too.
  if (helps_ == Helps::yes && t_round.depth == 1) help();
  if (--t_round.depth == 0) wake_all_asked();
}

}  // namespace muster
