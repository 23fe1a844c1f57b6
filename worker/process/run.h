// Runs one tool to its end: feeds it, keeps what it writes, ends it when its time is over or somebody asks.
//
// One loop over descriptors does all of it, so that no order of reading and writing can deadlock, whatever the sizes. Input that
// was spilled to a file is given to the tool as that file.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "worker/process/cancel.h"
#include "worker/process/capture.h"
#include "worker/process/spawn.h"

namespace muster::worker {

inline constexpr Duration kKillGrace{5'000};   // between SIGTERM and SIGKILL
inline constexpr Duration kDrainGrace{1'000};  // for outputs that something outside the group still holds open

struct RunRequest {
  Launch launch;
  const Capture* input = nullptr;  // null: /dev/null
  Duration timeout{0};
  Duration kill_grace = kKillGrace;
  Capture::Bounds bounds;  // of each output
  // Hears what the tool writes, as it comes, beside its being kept; empty: nobody does.
  std::function<void(bool is_error, std::string_view bytes)> on_output;
};

struct RunResult {
  Status started;      // not ok: it never ran
  int exit_code = -1;  // -1: ended by a signal, or never ran
  int signal = 0;
  bool timed_out = false;
  bool cancelled = false;
  Status kept;  // not ok: an output could not be kept, and the tool was ended for it
  Duration took{0};
  Capture out;
  Capture err;

  bool succeeded() const { return started.ok() && kept.ok() && exit_code == 0 && !timed_out && !cancelled; }
};

RunResult run(const RunRequest& request, const Cancel& cancel, const Clock& clock);

}  // namespace muster::worker
