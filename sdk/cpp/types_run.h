// Durable workflows as a client of the HTTP API sees them: a run is a job, and what only runs have is here.
//
// Fields are named as on the wire; absent ones are empty or std::nullopt. `document` is the object exactly as the server sent it,
// so that a program can show fields this version does not know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/types_job.h"

namespace muster::sdk {

// How a step that failed is tried again; what is empty is not said.
struct StepRetry {
  std::optional<std::int32_t> attempts_max;  // counting the first; -1: no limit
  std::optional<Duration> first_delay;
  std::optional<double> factor;
  std::optional<Duration> delay_max;
  std::vector<std::string> non_retryable;  // beginnings of error messages
};

// A job spec and what only runs have. Only `job.type` is required; what is left empty is left to the server.
struct RunRequest {
  JobSpec job;
  std::string external_id;  // one unfinished run of a namespace has it
  std::string version;
  std::string context;  // a JSON object as text
  std::optional<StepRetry> steps;
  std::string parent_run, parent_step;
  Labels metadata;
};

// One attempt at one step.
struct RunStep {
  std::string id, run, name;
  std::string kind;   // function, sleep, child, signal
  std::string state;  // running, waiting, completed, failed
  std::uint32_t attempt = 1;
  std::optional<Content> input, output;
  std::optional<Failure> error;
  std::optional<Instant> begun_at, finished_at, until;
  std::string worker;
  std::uint64_t fence = 0;
  std::string child, signal;
  std::string document;
};

struct HistoryQuery {
  std::string run;
  std::string step;  // only this step's attempts
  std::optional<std::uint32_t> limit;
  std::string cursor;
};

struct RunStepPage {
  std::vector<RunStep> steps;  // oldest first
  std::string next;            // empty: the end
};

struct RunResult {
  std::string id, state;
  bool finished = false;
  std::optional<Instant> finished_at;
  std::optional<Content> result;
  std::optional<Failure> error;
  std::string document;
};

struct RunSignal {
  std::string run, name;
  std::optional<Content> data;
};

struct Signalled {
  std::string run;
  bool taken = false;  // somebody waited for it; otherwise it is kept
  std::string document;
};

// One call about a step of a run that is held; the fields are those of docs/protocol-http.md.
struct StepCall {
  std::string call;  // begin, complete, fail, sleep, await_signal, await_child
  std::string step;
  std::string kind;
  std::optional<Content> input, output;
  std::optional<StepRetry> policy;
  std::optional<Failure> error;
  std::optional<bool> retryable;
  std::optional<Duration> retry_after, length, wait;
  std::optional<Instant> until;
  std::string signal, child;
};

struct StepAnswer {
  bool execute = false;  // begin: run the step
  std::optional<RunStep> step;
  bool parked = false;  // the lease is given up: leave the run alone
  std::string state;
  std::optional<Instant> run_at;
  bool cancel_requested = false;
};

}  // namespace muster::sdk
