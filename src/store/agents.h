// Requests and answers of the verbs about agents, their tools, sessions and runs.
//
// The store keeps rows and keeps them consistent; what happens to a run is decided in agents/. A decision is one AgentRunWrite:
// everything that belongs together (the run's row, its call of the model, messages, tool executions, the jobs that carry them
// out) is written in one commit, or nothing is, when somebody else was faster (`revision`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/agent.h"
#include "model/agent_run.h"
#include "model/job.h"
#include "store/verbs.h"

namespace muster::store {

// Ids of agents, sessions, messages, iterations, executions, blobs and compactions are the caller's, so that a repeat names the
// same thing. JSON is kept as the text that was given. A query with an empty namespace asks about all of them.

// Of blocks on one page of messages. The first one is on it whatever its size.
inline constexpr std::size_t kMessagePageBytesMax = 8 * 1024 * 1024;
// Messages that a fork copies. More are refused as exhausted.
inline constexpr std::size_t kForkMessagesMax = 10'000;
// Rows of a session that one commit deletes. More of them follow in further commits, between which others have their turn.
inline constexpr std::size_t kSessionDeleteRowsMax = 200;

// Agents and tools. `revision` 0: there must be none of this name yet. Else the one that was read.
struct AgentPut {
  Agent agent;  // created_at, updated_at and the new revision are the store's
};
struct ToolPut {
  Tool tool;
  bool replace = false;  // whatever revision is there
};

struct AgentQuery {
  NamespaceName ns;
  std::string name;      // empty: all
  std::string metadata;  // JSON object: only those whose metadata contain it; empty: all
  std::size_t limit = limits::kPageDefault;
  std::string cursor;  // opaque; by name, then id
};
struct AgentPage {
  std::vector<Agent> agents;
  std::string next;
  std::uint64_t total = 0;  // that match, whatever the page
};

struct ToolQuery {
  NamespaceName ns;
  std::size_t limit = limits::kPageDefault;
  std::string cursor;  // by name
};
struct ToolPage {
  std::vector<Tool> tools;
  std::string next;
};

// A fork begins with copies of the messages of another session, up to and with one of them; those of deeper runs stay behind. The
// copies are numbered from 1, have ids of their own, and no run said them.
struct SessionFork {
  AgentSessionId session;
  std::uint64_t through = 0;  // message number
};
struct SessionCreate {
  AgentSession session;  // its depth is the store's: that of the parent and one
  std::optional<SessionFork> fork{};
};
// What one commit left of a session that is deleted.
struct SessionDeletion {
  AgentSession session;  // as it was
  bool more = false;     // it is still there, with what is left of it
};
struct SessionQuery {
  NamespaceName ns;
  std::string metadata;  // JSON object that is contained
  std::optional<AgentSessionId> parent{};
  std::size_t limit = limits::kPageDefault;
  std::string cursor;  // newest first
};
struct SessionPage {
  std::vector<AgentSession> sessions;
  std::string next;
  std::uint64_t total = 0;
};

// The run and the job that carries it out, together. A root run waits for the unfinished root runs of its session whose jobs live
// (the job's `after`, and it runs whatever becomes of them), so that their messages never interleave: for all of them, since the
// last may be cancelled while it waits itself. kDependenciesMax at a time; one more is exhausted. The run's id is the job's; the
// one given is not looked at. created_at and revision are the store's.
struct AgentRunStart {
  AgentRun run;
  JobSpec job;
};
struct AgentRunStarted {
  AgentRun run;
  bool existed = false;  // the job's idempotency key found it
};

struct AgentRunQuery {
  NamespaceName ns;
  std::optional<AgentSessionId> session{};
  std::optional<AgentId> agent{};
  std::optional<JobId> parent{};
  std::optional<AgentRunState> state{};
  std::optional<RunMode> mode{};
  bool unfinished = false;  // only these
  std::size_t limit = limits::kPageDefault;
  std::string cursor;  // newest first
};
struct AgentRunPage {
  std::vector<AgentRun> runs;
  std::string next;
};

// Everything that whoever goes on with a run must know, as of one instant.
struct AgentRunView {
  AgentRun run;
  Agent agent;
  AgentSession session;
  std::optional<Iteration> iteration;     // the current one
  std::vector<ToolExecution> executions;  // of the current iteration, by place
};

// Inserted or replaced, by id. With `job` its job is enqueued in the same commit and its id written into the row. What others
// have written about it in between stays: an end, and the number of snoozes, which the store counts as they happen.
struct ExecutionWrite {
  ToolExecution execution;
  std::optional<JobSpec> job{};
  std::optional<AgentRunStart> child{};  // instead: a run of another agent; its id becomes child_run
};

// What has been spent, and where. Added to what is there.
struct Spending {
  TokenUsage usage;
  std::uint64_t microdollars = 0;
  friend bool operator==(const Spending&, const Spending&) = default;
};

struct Blob {
  Uuid id;
  std::string data;
};

// What a run began with (its session, agent, mode, parents, prompt, variables and budget) stays as it is. The messages' session,
// run, depth, number and created_at are the store's, and so is the run of an iteration or execution.
// The end of a run that has a parent_execution is written there as well: it is that tool's result.
struct AgentRunWrite {
  AgentRun run;  // replaced; `revision` is the one that was read
  std::optional<Iteration> iteration{};
  std::vector<AgentMessage> messages{};  // appended to the run's session, in this order
  std::vector<ExecutionWrite> executions{};
  std::vector<Blob> blobs{};
  Spending spent{};                  // counted for session, agent and namespace, today
  std::vector<AgentId> spent_for{};  // counted for these agents as well, each once
};
struct AgentRunWritten {
  AgentRun run;                           // with its new revision
  std::vector<ToolExecution> executions;  // as written, with the ids of their jobs and runs
  std::vector<std::uint64_t> messages;    // numbers that were given
};

struct IterationQuery {
  JobId run;
};
struct IterationList {
  std::vector<Iteration> iterations;  // oldest first; the last kPageMax, or as many of these as kPageBytesMax bytes hold
};

struct ExecutionQuery {
  NamespaceName ns;
  std::optional<JobId> run{};
  std::optional<ToolExecutionId> id{};
  std::optional<JobId> job{};
  ToolName tool;
  std::optional<ToolExecutionState> state{};
  bool approval_asked = false;  // only those that wait for a person now
  std::size_t limit = limits::kPageDefault;
  std::string cursor;  // newest first; of one run: by iteration and place
};
struct ExecutionPage {
  std::vector<ToolExecution> executions;
  std::string next;
};

// In their order. `context_of` leaves out what the run is not shown: a root run sees messages of root runs and of nobody, a
// deeper one its own.
struct MessageQuery {
  AgentSessionId session;
  std::optional<JobId> context_of{};
  std::uint64_t after = 0;  // numbers behind this one
  std::size_t limit = limits::kPageDefault;
};
struct MessagePage {
  std::vector<AgentMessage> messages;
  bool more = false;
};

struct CompactionEvent {
  Uuid id;
  AgentSessionId session;
  std::string strategy;  // "hybrid" or "summarization"
  std::uint64_t original_tokens = 0;
  std::uint64_t compacted_tokens = 0;
  std::uint64_t messages_removed = 0;
  std::string summary;
  std::vector<MessageId> preserved;
  std::string model;
  Duration took{0};
  bool restored = false;
  Instant created_at{};
  friend bool operator==(const CompactionEvent&, const CompactionEvent&) = default;
};

// Messages go to the archive and others take their place, in one commit. conflict: the session changed since it was read, or a
// run of it is unfinished.
struct Compaction {
  CompactionEvent event;
  std::uint64_t revision = 0;       // of the session
  std::vector<MessageId> archived;  // gone from the session
  std::vector<AgentMessage>
      replacements;  // each keeps the `number` it has, which must be one of an archived message, and created_at
};
struct CompactionQuery {
  AgentSessionId session;
  std::size_t limit = limits::kPageDefault;
  std::string cursor;  // newest first
};
struct CompactionPage {
  std::vector<CompactionEvent> events;
  std::string next;
};

// What was spent by a session, an agent today, a namespace today. `day` is the UTC day of the instant.
struct SpendingQuery {
  NamespaceName ns;
  std::optional<AgentSessionId> session{};
  std::optional<AgentId> agent{};
  Instant day{};
};
struct SpendingView {
  Spending session;
  Spending agent_today;
  Spending namespace_today;
};

}  // namespace muster::store
