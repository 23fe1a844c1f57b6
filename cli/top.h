// What `muster top` shows, as text: a pure function of a snapshot, the history of rates, and the size of the screen.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "sdk/cpp/types.h"

namespace muster::cli {

struct TopSnapshot {
  sdk::ServerInfo server;
  std::vector<sdk::Queue> queues;
  std::vector<sdk::WorkerInfo> workers;
  std::size_t workers_more = 0;  // more exist than were fetched
  sdk::Instant at{};
};

// Rates between snapshots, the newest last.
class TopHistory {
 public:
  static constexpr std::size_t kKept = 400;  // as many as the widest screen can show

  void add(const TopSnapshot& snapshot);
  std::vector<double> completed(std::size_t newest) const;
  std::vector<double> enqueued(std::size_t newest) const;
  double completed_now() const { return completed_.empty() ? 0 : completed_.back(); }
  double enqueued_now() const { return enqueued_.empty() ? 0 : enqueued_.back(); }

 private:
  struct Totals {
    sdk::Instant at{};
    std::uint64_t completed = 0;
    std::uint64_t enqueued = 0;
  };
  std::optional<Totals> last_;
  std::deque<double> completed_;
  std::deque<double> enqueued_;
};

struct TopLook {
  TerminalSize size;
  bool color = false;
  bool unicode = false;
  std::string address;
  std::string problem;  // shown instead of the second line when the server did not answer
};

// At most size.rows lines of at most size.columns characters each.
std::vector<std::string> render_top(const TopSnapshot& snapshot, const TopHistory& history, const TopLook& look);

}  // namespace muster::cli
