// What a run needs of its server, apart from how it is said on the wire: the seam between Context and gRPC.
//
// One object per claimed run. Calls block and may come from several threads at once. An answer `unwind` means that the run is
// parked or no longer ours; everything else that is wrong comes back as an Error after the port gave up repeating it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/result.h"
#include "sdk/cpp/time.h"
#include "sdk/cpp/workflow/options.h"

namespace muster::sdk::workflow {

enum class StepKind : std::uint8_t { function, sleep };

struct BeginCall {
  std::string step;
  StepKind kind = StepKind::function;
  std::string input;  // JSON; empty: none is recorded
  RetryPolicy policy;
};

struct Begun {
  bool execute = true;
  std::string output;  // of a step that completed before
};

struct FailCall {
  std::string step;
  std::string message;
  bool retryable = true;
  Duration retry_after{0};  // 0: as the policy says
};

struct FailAnswer {
  bool retried = false;  // the run is parked until the next try
};

struct SignalCall {
  std::string step;
  std::string signal;
  std::optional<Duration> wait;  // empty: for ever
};

struct SignalAnswer {
  bool parked = false;
  bool timed_out = false;
  std::string data;
};

struct ChildCall {
  std::string step;
  std::string queue;  // empty: the parent's
  std::string type;
  std::string input;
  std::string external_id;
  std::string version;
};

struct ChildAnswer {
  bool parked = false;
  std::string run_id;
  bool completed = false;
  std::string output;
  std::string error_kind;
  std::string error_message;
};

// A step as earlier claims left it: completed, or failed for good with something done since because of it. A failure that was the
// last thing to happen is not remembered: the step is tried again when an operator starts the dead run once more.
struct Remembered {
  std::string step;
  bool completed = false;
  bool timed_out = false;  // a wait that ended without its signal
  std::string output;
  std::string error_kind;
  std::string error_message;
  std::string child_run_id;
};

struct RunFacts {
  std::string run_id;
  std::string type;
  std::string queue;
  std::string ns;
  std::string input;
  std::uint64_t fence = 0;    // 0: the server named none
  std::uint32_t attempt = 1;  // claims so far, this one included
  std::string worker_id;
};

class RunPort {
 public:
  virtual ~RunPort() = default;
  virtual Result<Begun> begin(const BeginCall& call) = 0;
  virtual Result<Nothing> complete(const std::string& step, const std::string& output) = 0;
  virtual Result<FailAnswer> fail(const FailCall& call) = 0;
  virtual Result<Nothing> sleep(const std::string& step, Duration length) = 0;
  virtual Result<SignalAnswer> await_signal(const SignalCall& call) = 0;
  virtual Result<ChildAnswer> await_child(const ChildCall& call) = 0;
  virtual Result<std::vector<Remembered>> remembered() = 0;
};

}  // namespace muster::sdk::workflow
