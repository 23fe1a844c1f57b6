// Starts durable workflows, waits for them, signals, cancels and lists them, and keeps schedules.
//
// Thread-safe and cheap to copy: copies share one connection. Nothing is repeated here except the wait for a result; a start that
// must happen once carries an external id, of which the server keeps one unfinished run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sdk/cpp/workflow/codec.h"
#include "sdk/cpp/workflow/options.h"
#include "sdk/cpp/workflow/schedule.h"

namespace muster::sdk::workflow {

enum class RunState : std::uint8_t { pending, running, sleeping, completed, failed, cancelled };
std::string_view to_string(RunState state);
inline bool is_finished(RunState state) { return state >= RunState::completed; }

struct StartOptions {
  std::string queue{};        // empty: the client's
  std::string external_id{};  // empty: a random one
  std::string version{};      // empty: "1"
  RetryPolicy steps{};        // for steps that bring no policy of their own
};

struct RunInfo {
  std::string run_id;
  std::string external_id;
  std::string queue;
  std::string type;
  std::string version;
  RunState state = RunState::pending;
  std::string input;   // as text, usually JSON
  std::string output;  // likewise
  std::string error;
  std::int32_t attempts = 0;
  std::optional<Instant> created_at;
  std::optional<Instant> started_at;
  std::optional<Instant> finished_at;
  std::optional<Instant> wake_up_at;
  std::string worker_id;
  std::string parent_run_id;
  std::string schedule_id;
};

// One attempt at one step.
struct StepInfo {
  std::string id;
  std::string name;
  std::string kind;   // function, sleep, child, signal
  std::string state;  // running, waiting, completed, failed
  std::int32_t attempt = 1;
  std::string output;
  std::string error_kind;
  std::string error_message;
  Instant begun_at{};
  std::optional<Instant> finished_at;
  std::optional<Instant> until;
  std::string worker_id;
  std::string child_run_id;
};

struct RunQuery {
  std::optional<RunState> state{};
  std::string type{};
  std::string queue{};
  std::int32_t page_size = 100;
  std::string page{};  // of an earlier answer
};

struct RunPage {
  std::vector<RunInfo> runs;
  std::string next;  // empty: the end
};

// How a run ended, or where it is.
struct RunEnd {
  RunState state = RunState::pending;
  std::string output;
  std::string error_kind;
  std::string error_message;
};

struct ClientState;

// A run that was started or found. Cheap to copy.
class Handle {
 public:
  Handle(std::shared_ptr<ClientState> state, std::string run_id, bool existed)
      : state_(std::move(state)), run_id_(std::move(run_id)), existed_(existed) {}

  const std::string& run_id() const { return run_id_; }
  // An unfinished run of the same external id was there before.
  bool existed() const { return existed_; }

  // Waits for the end, at most this long; then the run as it is.
  Result<RunEnd> wait(Duration timeout) const;
  // The output of a run that completes. conflict: it failed or was cancelled, with why. unavailable: not finished within the
  // timeout.
  template <class Out = json>
  Result<Out> result(Duration timeout = std::chrono::seconds(60)) const {
    Result<std::string> text = output(timeout);
    if (!text.ok()) return text.error();
    return decode<Out>(*text);
  }
  Result<RunInfo> describe() const;
  Result<std::vector<StepInfo>> history() const;
  // Ends it at once, and its children. conflict: it is finished already.
  Result<Nothing> cancel() const;
  // The same, as a failure with this reason.
  Result<Nothing> terminate(std::string_view reason) const;
  // True: the run waited for it; otherwise it is kept until the run does.
  template <class T>
  Result<bool> signal(std::string_view name, const T& data) const {
    const Result<std::string> text = encode(data);
    if (!text.ok()) return text.error();
    return send_signal(name, *text);
  }

 private:
  Result<std::string> output(Duration timeout) const;
  Result<bool> send_signal(std::string_view name, const std::string& text) const;

  std::shared_ptr<ClientState> state_;  // shared with the client and its other handles
  std::string run_id_;
  bool existed_;
};

class Client {
 public:
  // queue: where runs go that name none. invalid_argument: the connection. No connection is made here.
  static Result<Client> open(Connection connection, std::string queue = {});

  template <class In>
  Result<Handle> start(std::string_view type, const In& input, const StartOptions& options = {}) {
    const Result<std::string> text = encode(input);
    if (!text.ok()) return text.error();
    return start_text(type, *text, options);
  }
  // A run by its id; nothing is asked of the server yet.
  Handle run(std::string run_id) const { return {state_, std::move(run_id), true}; }
  // The unfinished run of this external id. not_found: there is none.
  Result<Handle> find(std::string_view external_id);
  Result<RunPage> list(const RunQuery& query = {});

  Result<Schedule> create_schedule(const ScheduleSpec& spec);
  Result<Schedule> schedule(std::string_view id);
  Result<SchedulePage> schedules(std::string_view page = {});
  Result<Schedule> update_schedule(std::string_view id, const ScheduleChange& change);
  Result<Schedule> pause_schedule(std::string_view id);
  Result<Schedule> resume_schedule(std::string_view id);
  Result<Schedule> delete_schedule(std::string_view id);
  Result<Handle> trigger_schedule(std::string_view id);
  // The next fires after `after` (now when empty).
  Result<std::vector<Instant>> preview_schedule(std::string_view id, std::int32_t count, std::optional<Instant> after = {});
  struct Range {
    Instant from{};  // exclusive
    Instant to{};    // inclusive
  };
  Result<Backfill> backfill_schedule(std::string_view id, const Range& range);

 private:
  explicit Client(std::shared_ptr<ClientState> state) : state_(std::move(state)) {}
  Result<Handle> start_text(std::string_view type, const std::string& input, const StartOptions& options);

  std::shared_ptr<ClientState> state_;  // shared with handles and copies
};

}  // namespace muster::sdk::workflow
