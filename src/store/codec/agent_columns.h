// The columns of rows about agents, in their order: said once, for both directions and both stores.
//
// A list of columns is a function over one value and over a ColumnsIn or a ColumnsOut (column_codec.h), for which the value is
// const. The namespace of each is the caller's to know.
#pragma once

#include <cstdint>
#include <optional>

#include "store/agents.h"
#include "store/codec/column_codec.h"

namespace muster::store {

// What rows hold besides the model's values.

// A session and the highest number that a message of it was given, whatever became of the message.
struct SessionRow {
  AgentSession session;
  std::uint64_t last_message = 0;
};
// A message and the compaction that put it where it is; none for one that was said.
struct MessageRow {
  AgentMessage message;
  std::optional<Uuid> compaction;
};
// Whose spending a row counts.
enum class SpendingScope : std::uint8_t { session, agent, ns };

template <class Columns, class Usage>
void usage_columns(Columns& c, Usage& usage) {
  c(usage.input, usage.output, usage.cache_creation, usage.cache_read);
}

template <class Columns, class Budget>
void budget_columns(Columns& c, Budget& budget) {
  c(budget.tokens_per_run, budget.tokens_per_session, budget.tokens_per_day, budget.microdollars_per_run,
    budget.microdollars_per_session, budget.microdollars_per_day);
}

// id, name, description, model, system_prompt, max_tokens, temperature, top_k, top_p, tools, delegates, betas, tool_choice,
// thinking, stop_sequences, cache_prompt, iterations_max, six of the budget, metadata, config, created_at, updated_at, revision
inline constexpr int kAgentColumns = 28;
template <class Columns, class Value>
void agent_columns(Columns& c, Value& agent) {
  auto& spec = agent.spec;
  c(agent.id, spec.name, spec.description, spec.model, spec.system_prompt, spec.max_tokens, spec.temperature, spec.top_k,
    spec.top_p);
  c(spec.tools, spec.delegates, spec.betas, spec.tool_choice, spec.thinking, spec.stop_sequences, spec.cache_prompt,
    spec.iterations_max);
  budget_columns(c, spec.budget);
  c(spec.metadata, spec.config, agent.created_at, agent.updated_at, agent.revision);
}

// name, description, input_schema, queue, needs, approval, timeout, attempts_max, retry_jitter, concurrency, arguments, metadata,
// created_at, updated_at, revision
inline constexpr int kToolColumns = 15;
template <class Columns, class Value>
void tool_columns(Columns& c, Value& tool) {
  auto& spec = tool.spec;
  c(spec.name, spec.description, spec.input_schema, spec.queue, spec.needs, spec.approval, spec.timeout, spec.attempts_max,
    spec.retry_jitter, spec.concurrency, spec.arguments, spec.metadata, tool.created_at, tool.updated_at, tool.revision);
}

// id, parent, depth, metadata, variables, compactions, created_at, updated_at, revision, last_message
inline constexpr int kSessionColumns = 10;
template <class Columns, class Value>
void session_columns(Columns& c, Value& row) {
  auto& session = row.session;
  c(session.id, session.parent, session.depth, session.metadata, session.variables, session.compactions, session.created_at,
    session.updated_at, session.revision, row.last_message);
}

// What a run begins with, then what changes: id, session, agent, mode, parent, parent_execution, depth, prompt, created_by,
// variables, six of the budget, created_at
inline constexpr int kRunOriginColumns = 17;
template <class Columns, class Value>
void run_origin_columns(Columns& c, Value& run) {
  c(run.id, run.session, run.agent, run.mode, run.parent, run.parent_execution, run.depth, run.prompt, run.created_by,
    run.variables);
  budget_columns(c, run.budget);
  c(run.created_at);
}

// state, previous_state, iteration, iteration_id, response_text, stop_reason, four of the usage, microdollars, iterations,
// tool_iterations, error_type, error_message, claimed_by, claimed_at, rescues, last_rescue_at, started_at, finalized_at, revision
inline constexpr int kRunMovingColumns = 22;
template <class Columns, class Value>
void run_moving_columns(Columns& c, Value& run) {
  c(run.state, run.previous_state, run.iteration, run.iteration_id, run.response_text, run.stop_reason);
  usage_columns(c, run.usage);
  c(run.microdollars, run.iterations, run.tool_iterations, run.error_type, run.error_message, run.claimed_by, run.claimed_at,
    run.rescues, run.last_rescue_at, run.started_at, run.finalized_at, run.revision);
}

// run, id, number, streaming, triggered_by, batch_id, batch_job, batch_status, batch_submitted_at, batch_completed_at,
// batch_expires_at, batch_polls, batch_polled_at, streaming_started_at, streaming_completed_at, attempts, partial_text,
// stop_reason, response, has_tool_use, executions, four of the usage, microdollars, error_type, error_message, created_at,
// started_at, completed_at
inline constexpr int kIterationColumns = 31;
template <class Columns, class Value>
void iteration_columns(Columns& c, Value& one) {
  c(one.run, one.id, one.number, one.streaming, one.trigger, one.batch_id, one.batch_job, one.batch_status,
    one.batch_submitted_at, one.batch_completed_at, one.batch_expires_at, one.batch_polls, one.batch_polled_at,
    one.streaming_started_at, one.streaming_completed_at, one.attempts, one.partial_text, one.stop_reason, one.response,
    one.has_tool_use, one.executions);
  usage_columns(c, one.usage);
  c(one.microdollars, one.error_type, one.error_message, one.created_at, one.started_at, one.completed_at);
}

// run, id, iteration, place, state, tool_use_id, tool, input, agent, child_run, job, output, whole_output, is_error,
// error_message, approval, decided_by, decision_reason, decided_at, claimed_by, claimed_at, attempts, attempts_max, snoozes,
// last_error, scheduled_at, created_at, started_at, completed_at
inline constexpr int kExecutionColumns = 29;
template <class Columns, class Value>
void execution_columns(Columns& c, Value& one) {
  c(one.run, one.id, one.iteration, one.place, one.state, one.tool_use_id, one.tool, one.input, one.agent, one.child_run, one.job,
    one.output, one.whole_output, one.is_error, one.error_message, one.approval, one.decided_by, one.decision_reason,
    one.decided_at, one.claimed_by, one.claimed_at, one.attempts, one.attempts_max, one.snoozes, one.last_error, one.scheduled_at,
    one.created_at, one.started_at, one.completed_at);
}

// session, number, id, run, run_depth, role, blocks, four of the usage, preserved, summary, metadata, created_at, compaction
inline constexpr int kMessageColumns = 16;
template <class Columns, class Value>
void message_columns(Columns& c, Value& row) {
  auto& one = row.message;
  c(one.session, one.number, one.id, one.run, one.run_depth, one.role, one.blocks);
  usage_columns(c, one.usage);
  c(one.preserved, one.summary, one.metadata, one.created_at, row.compaction);
}

// id, session, strategy, original_tokens, compacted_tokens, messages_removed, summary, preserved, model, took, restored,
// created_at
inline constexpr int kCompactionColumns = 12;
template <class Columns, class Value>
void compaction_columns(Columns& c, Value& one) {
  c(one.id, one.session, one.strategy, one.original_tokens, one.compacted_tokens, one.messages_removed, one.summary,
    one.preserved, one.model, one.took, one.restored, one.created_at);
}

// input, output, cache_creation, cache_read, microdollars
inline constexpr int kSpendingColumns = 5;
template <class Columns, class Value>
void spending_columns(Columns& c, Value& spent) {
  usage_columns(c, spent.usage);
  c(spent.microdollars);
}

}  // namespace muster::store
