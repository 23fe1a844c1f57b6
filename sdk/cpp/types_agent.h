// Agents, their tools and sessions; their runs are types_agent_run.h.
//
// Fields are named as on the wire; absent ones are empty or std::nullopt. What is JSON on the wire (metadata, schemas, content
// blocks, inputs) is its text here. `document` is the object exactly as the server sent it, so that a program can show fields
// this version does not know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/time.h"

namespace muster::sdk {

// What may be spent before a run is stopped; absent: no limit.
struct AgentBudget {
  std::optional<std::uint64_t> tokens_per_run, tokens_per_session, tokens_per_day;
  std::optional<std::uint64_t> microdollars_per_run, microdollars_per_session, microdollars_per_day;
  friend bool operator==(const AgentBudget&, const AgentBudget&) = default;
};

struct AgentSpec {
  std::string ns, name, description, model, system_prompt;
  std::optional<std::int64_t> max_tokens, top_k;
  std::optional<double> temperature, top_p;
  std::vector<std::string> tool_names, agent_ids, betas, stop_sequences;
  std::string tool_choice, thinking;  // JSON objects
  std::optional<bool> cache_prompt;
  std::optional<std::uint32_t> iterations_max;
  std::optional<AgentBudget> budget;
  std::string metadata, config;  // JSON objects
  friend bool operator==(const AgentSpec&, const AgentSpec&) = default;
};

struct Agent {
  std::string id;
  AgentSpec spec;
  std::optional<Instant> created_at, updated_at;
  std::uint64_t revision = 0;
  std::string document;
};
struct AgentQuery {
  std::string ns, name, metadata, cursor;
  std::optional<std::uint32_t> limit;
};
struct AgentPage {
  std::vector<Agent> agents;  // by name
  std::string next;
  std::uint64_t total = 0;
};

struct ToolSpec {
  std::string ns, name, description;
  std::string input_schema;  // JSON Schema; empty: any object
  std::string queue;
  std::vector<std::string> needs;
  std::string approval;  // "never" or "ask"
  std::optional<Duration> timeout;
  std::optional<std::uint32_t> max_attempts, concurrency;
  std::optional<double> retry_jitter;
  std::vector<std::string> arguments;
  std::string metadata;  // JSON object
  friend bool operator==(const ToolSpec&, const ToolSpec&) = default;
};
struct Tool {
  ToolSpec spec;
  std::optional<Instant> created_at, updated_at;
  std::uint64_t revision = 0;
  std::string document;
};
struct ToolQuery {
  std::string ns, cursor;
  std::optional<std::uint32_t> limit;
};
struct ToolPage {
  std::vector<Tool> tools;  // by name
  std::string next;
};

struct Usage {
  std::uint64_t input_tokens = 0, output_tokens = 0, cache_creation_input_tokens = 0, cache_read_input_tokens = 0;
  std::uint64_t total() const { return input_tokens + output_tokens + cache_creation_input_tokens + cache_read_input_tokens; }
};

struct SessionRequest {
  std::string ns, parent_session_id, metadata, variables;
};
struct SessionChange {
  std::string ns, metadata, variables;  // empty: stays
};
struct Session {
  std::string id, ns, parent_session_id, metadata, variables;
  std::uint32_t depth = 0, compaction_count = 0;
  std::optional<Instant> created_at, updated_at;
  std::uint64_t revision = 0;
  Usage usage;  // of all its runs; with the next one only when one session is asked for
  std::uint64_t microdollars = 0;
  std::string document;
};
struct SessionQuery {
  std::string ns, metadata, parent_session_id, cursor;
  std::optional<std::uint32_t> limit;
};
struct SessionPage {
  std::vector<Session> sessions;  // newest first
  std::string next;
  std::uint64_t total = 0;
};

struct AgentMessage {
  std::string id, session_id, run_id, role;
  std::uint64_t number = 0;
  std::string blocks;  // JSON array
  Usage usage;
  bool is_preserved = false, is_summary = false;
  std::optional<Instant> created_at;
  std::string document;
};
struct MessageQuery {
  std::string ns, session, context_of;
  std::uint64_t after = 0;
  std::optional<std::uint32_t> limit;
};
struct MessagePage {
  std::vector<AgentMessage> messages;  // in their order
  bool more = false;
};

struct Compaction {
  std::string id, session_id, strategy, summary_content, model_used;
  std::uint64_t original_tokens = 0, compacted_tokens = 0, messages_removed = 0;
  std::optional<Duration> duration;
  bool restored = false;
  std::optional<Instant> created_at;
  std::string document;
};
struct CompactionQuery {
  std::string ns, session, cursor;
  std::optional<std::uint32_t> limit;
};
struct CompactionPage {
  std::vector<Compaction> compactions;  // newest first
  std::string next;
};
struct CompactRequest {
  std::string ns, strategy;
  bool only_if_needed = false;
};
struct Compacted {
  bool done = false, needed = false;
  std::uint64_t tokens = 0;
  std::optional<Compaction> compaction;
  std::string document;
};

}  // namespace muster::sdk
