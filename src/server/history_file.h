// The history of figures across restarts: a small file in the data folder, written now and then and when the server stops.
//
// It is nobody's truth: one that is damaged, or cannot be written, costs the past of the charts and nothing else, and is said in
// the log. Written beside its place and put there whole, without waiting for the disk.
#pragma once

#include <string>

#include "base/clock.h"
#include "engine/history.h"

namespace muster::server {

inline constexpr Duration kHistoryKeptEvery{60'000};

// One thread at a time.
class HistoryFile {
 public:
  // history and clock outlive it.
  HistoryFile(std::string path, engine::History& history, const Clock& clock);

  void load();
  void keep_when_due();
  void keep();

 private:
  Status write(const std::string& image) const;

  const std::string path_;
  engine::History& history_;
  const Clock& clock_;
  Ticks kept_at_;
  bool said_ = false;  // that it cannot be written
};

}  // namespace muster::server
