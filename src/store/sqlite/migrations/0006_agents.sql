-- Agents: who talks to a model, with which tools, in which conversation, and what has come of it. Ids are UUIDs as text, a job is its
-- key, names of enumerators are text, lists and whatever clients call metadata are JSON.

-- metadata_key: the same for metadata of the same content.
CREATE TABLE agents (
  row INTEGER PRIMARY KEY,
  namespace INTEGER NOT NULL REFERENCES namespaces (id),
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 255),
  description TEXT NOT NULL,
  model TEXT NOT NULL,
  system_prompt TEXT NOT NULL,
  max_tokens INTEGER,
  temperature REAL,
  top_k INTEGER,
  top_p REAL,
  tools TEXT NOT NULL,
  delegates TEXT NOT NULL,
  betas TEXT NOT NULL,
  tool_choice TEXT NOT NULL,
  thinking TEXT NOT NULL,
  stop_sequences TEXT NOT NULL,
  cache_prompt INTEGER NOT NULL,
  iterations_max INTEGER NOT NULL,
  tokens_per_run INTEGER NOT NULL,
  tokens_per_session INTEGER NOT NULL,
  tokens_per_day INTEGER NOT NULL,
  microdollars_per_run INTEGER NOT NULL,
  microdollars_per_session INTEGER NOT NULL,
  microdollars_per_day INTEGER NOT NULL,
  metadata TEXT NOT NULL,
  config TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  metadata_key TEXT NOT NULL,
  UNIQUE (namespace, name, metadata_key)
);
CREATE INDEX agents_by_name ON agents (name, id);

CREATE TABLE agent_tools (
  row INTEGER PRIMARY KEY,
  namespace INTEGER NOT NULL REFERENCES namespaces (id),
  name TEXT NOT NULL CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 127),
  description TEXT NOT NULL,
  input_schema TEXT NOT NULL,
  queue TEXT NOT NULL,
  needs TEXT NOT NULL,
  approval TEXT NOT NULL CHECK (approval IN ('never', 'ask')),
  timeout INTEGER NOT NULL,
  attempts_max INTEGER NOT NULL,
  retry_jitter REAL NOT NULL,
  concurrency INTEGER NOT NULL,
  arguments TEXT NOT NULL,
  metadata TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  UNIQUE (namespace, name)
);

-- last_message: the highest number that was given, whatever became of the message.
CREATE TABLE agent_sessions (
  row INTEGER PRIMARY KEY,
  namespace INTEGER NOT NULL REFERENCES namespaces (id),
  id TEXT NOT NULL UNIQUE,
  parent TEXT,
  depth INTEGER NOT NULL,
  metadata TEXT NOT NULL,
  variables TEXT NOT NULL,
  compactions INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  last_message INTEGER NOT NULL,
  CHECK ((depth = 0) = (parent IS NULL))
);
CREATE INDEX agent_sessions_by_namespace ON agent_sessions (namespace, row);
CREATE INDEX agent_sessions_by_parent ON agent_sessions (parent, row) WHERE parent IS NOT NULL;

-- id: the key of its job, which may be forgotten before it.
CREATE TABLE agent_runs (
  id INTEGER PRIMARY KEY,
  namespace INTEGER NOT NULL REFERENCES namespaces (id),
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('batch', 'streaming')),
  parent INTEGER,
  parent_execution TEXT,
  depth INTEGER NOT NULL,
  prompt TEXT NOT NULL,
  created_by TEXT NOT NULL,
  variables TEXT NOT NULL,
  tokens_per_run INTEGER NOT NULL,
  tokens_per_session INTEGER NOT NULL,
  tokens_per_day INTEGER NOT NULL,
  microdollars_per_run INTEGER NOT NULL,
  microdollars_per_session INTEGER NOT NULL,
  microdollars_per_day INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'batch_submitting', 'batch_pending', 'batch_processing', 'streaming', 'pending_tools',
    'awaiting_input', 'completed', 'cancelled', 'failed')),
  previous_state TEXT,
  iteration INTEGER NOT NULL,
  iteration_id TEXT,
  response_text TEXT,
  stop_reason TEXT NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache_creation INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  microdollars INTEGER NOT NULL,
  iterations INTEGER NOT NULL,
  tool_iterations INTEGER NOT NULL,
  error_type TEXT NOT NULL,
  error_message TEXT NOT NULL,
  claimed_by TEXT NOT NULL,
  claimed_at INTEGER,
  rescues INTEGER NOT NULL,
  last_rescue_at INTEGER,
  started_at INTEGER,
  finalized_at INTEGER,
  revision INTEGER NOT NULL,
  CHECK ((state IN ('completed', 'cancelled', 'failed')) = (finalized_at IS NOT NULL)),
  CHECK ((depth = 0) = (parent IS NULL))
);
CREATE INDEX agent_runs_by_session ON agent_runs (session, id);
CREATE INDEX agent_runs_by_agent ON agent_runs (agent, id);
CREATE INDEX agent_runs_by_parent ON agent_runs (parent, id) WHERE parent IS NOT NULL;
CREATE INDEX agent_runs_by_namespace ON agent_runs (namespace, id);
CREATE INDEX agent_runs_unfinished ON agent_runs (session, id) WHERE finalized_at IS NULL;

CREATE TABLE agent_iterations (
  row INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  number INTEGER NOT NULL,
  streaming INTEGER NOT NULL,
  triggered_by TEXT NOT NULL CHECK (triggered_by IN ('user_prompt', 'tool_results', 'continuation')),
  batch_id TEXT NOT NULL,
  batch_job INTEGER,
  batch_status TEXT CHECK (batch_status IN ('in_progress', 'canceling', 'ended')),
  batch_submitted_at INTEGER,
  batch_completed_at INTEGER,
  batch_expires_at INTEGER,
  batch_polls INTEGER NOT NULL,
  batch_polled_at INTEGER,
  streaming_started_at INTEGER,
  streaming_completed_at INTEGER,
  attempts INTEGER NOT NULL,
  partial_text TEXT NOT NULL,
  stop_reason TEXT NOT NULL,
  response TEXT,
  has_tool_use INTEGER NOT NULL,
  executions INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache_creation INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  microdollars INTEGER NOT NULL,
  error_type TEXT NOT NULL,
  error_message TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  completed_at INTEGER,
  UNIQUE (run, number)
);

CREATE TABLE agent_executions (
  row INTEGER PRIMARY KEY,
  namespace INTEGER NOT NULL REFERENCES namespaces (id),
  run INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  iteration TEXT NOT NULL,
  place INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'running', 'completed', 'failed', 'skipped')),
  tool_use_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  input TEXT NOT NULL,
  agent TEXT,
  child_run INTEGER,
  job INTEGER,
  output TEXT,
  whole_output TEXT,
  is_error INTEGER NOT NULL,
  error_message TEXT NOT NULL,
  approval TEXT NOT NULL CHECK (approval IN ('not_needed', 'asked', 'approved', 'denied')),
  decided_by TEXT NOT NULL,
  decision_reason TEXT NOT NULL,
  decided_at INTEGER,
  claimed_by TEXT NOT NULL,
  claimed_at INTEGER,
  attempts INTEGER NOT NULL,
  attempts_max INTEGER NOT NULL,
  snoozes INTEGER NOT NULL,
  last_error TEXT NOT NULL,
  scheduled_at INTEGER,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  completed_at INTEGER,
  CHECK ((state IN ('completed', 'failed', 'skipped')) = (completed_at IS NOT NULL))
);
CREATE INDEX agent_executions_by_iteration ON agent_executions (iteration, place);
CREATE INDEX agent_executions_by_run ON agent_executions (run);
CREATE INDEX agent_executions_by_job ON agent_executions (job) WHERE job IS NOT NULL;
CREATE INDEX agent_executions_by_namespace ON agent_executions (namespace, row);
CREATE INDEX agent_executions_asked ON agent_executions (namespace, row) WHERE approval = 'asked';

-- compaction: the event that put the message where it is; null for one that was said.
CREATE TABLE agent_messages (
  row INTEGER PRIMARY KEY,
  session TEXT NOT NULL,
  number INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  run INTEGER,
  run_depth INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
  blocks TEXT NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache_creation INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  preserved INTEGER NOT NULL,
  summary INTEGER NOT NULL,
  metadata TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  compaction TEXT,
  UNIQUE (session, number)
);
CREATE INDEX agent_messages_by_run ON agent_messages (run, number) WHERE run IS NOT NULL;
CREATE INDEX agent_messages_by_compaction ON agent_messages (compaction) WHERE compaction IS NOT NULL;

CREATE TABLE agent_compactions (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session TEXT NOT NULL,
  strategy TEXT NOT NULL,
  original_tokens INTEGER NOT NULL,
  compacted_tokens INTEGER NOT NULL,
  messages_removed INTEGER NOT NULL,
  summary TEXT NOT NULL,
  preserved TEXT NOT NULL,
  model TEXT NOT NULL,
  took INTEGER NOT NULL,
  restored INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX agent_compactions_by_session ON agent_compactions (session, row);

-- Messages that a compaction took away, as they were.
CREATE TABLE agent_archive (
  row INTEGER PRIMARY KEY,
  event TEXT NOT NULL,
  session TEXT NOT NULL,
  number INTEGER NOT NULL,
  id TEXT NOT NULL,
  run INTEGER,
  run_depth INTEGER NOT NULL,
  role TEXT NOT NULL,
  blocks TEXT NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache_creation INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  preserved INTEGER NOT NULL,
  summary INTEGER NOT NULL,
  metadata TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  compaction TEXT,
  UNIQUE (event, number)
);
CREATE INDEX agent_archive_by_session ON agent_archive (session);
CREATE INDEX agent_archive_by_id ON agent_archive (id);

-- scope: 0 a session, 1 an agent, 2 the namespace, whose name is empty. day: since 1970; 0 of a session, which is counted as a whole.
CREATE TABLE agent_spending (
  namespace INTEGER NOT NULL REFERENCES namespaces (id),
  scope INTEGER NOT NULL CHECK (scope BETWEEN 0 AND 2),
  name TEXT NOT NULL,
  day INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache_creation INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  microdollars INTEGER NOT NULL,
  PRIMARY KEY (namespace, scope, name, day)
) WITHOUT ROWID;

-- Whole outputs of tools. They go with the session they belong to.
CREATE TABLE agent_blobs (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session TEXT NOT NULL,
  data BLOB NOT NULL
);
CREATE INDEX agent_blobs_by_session ON agent_blobs (session);

-- As they are read: the row, the name of the namespace, then the columns of store/codec/agent_columns.h in their order. The number of the
-- namespace comes last, to search by.
CREATE VIEW agents_read AS
SELECT t.row, n.name AS belongs_to, t.id, t.name, t.description, t.model, t.system_prompt, t.max_tokens, t.temperature, t.top_k, t.top_p, t.tools,
  t.delegates, t.betas, t.tool_choice, t.thinking, t.stop_sequences, t.cache_prompt, t.iterations_max, t.tokens_per_run,
  t.tokens_per_session, t.tokens_per_day, t.microdollars_per_run, t.microdollars_per_session, t.microdollars_per_day, t.metadata, t.config,
  t.created_at, t.updated_at, t.revision, t.namespace
FROM agents t CROSS JOIN namespaces n WHERE n.id = t.namespace;
CREATE VIEW agent_tools_read AS
SELECT t.row, n.name AS belongs_to, t.name, t.description, t.input_schema, t.queue, t.needs, t.approval, t.timeout, t.attempts_max, t.retry_jitter,
  t.concurrency, t.arguments, t.metadata, t.created_at, t.updated_at, t.revision, t.namespace
FROM agent_tools t CROSS JOIN namespaces n WHERE n.id = t.namespace;
CREATE VIEW agent_sessions_read AS
SELECT t.row, n.name AS belongs_to, t.id, t.parent, t.depth, t.metadata, t.variables, t.compactions, t.created_at, t.updated_at, t.revision,
  t.last_message, t.namespace
FROM agent_sessions t CROSS JOIN namespaces n WHERE n.id = t.namespace;
CREATE VIEW agent_runs_read AS
SELECT t.id AS row, n.name AS belongs_to, t.id, t.session, t.agent, t.mode, t.parent, t.parent_execution, t.depth, t.prompt, t.created_by, t.variables,
  t.tokens_per_run, t.tokens_per_session, t.tokens_per_day, t.microdollars_per_run, t.microdollars_per_session, t.microdollars_per_day,
  t.created_at, t.state, t.previous_state, t.iteration, t.iteration_id, t.response_text, t.stop_reason, t.input, t.output, t.cache_creation,
  t.cache_read, t.microdollars, t.iterations, t.tool_iterations, t.error_type, t.error_message, t.claimed_by, t.claimed_at, t.rescues,
  t.last_rescue_at, t.started_at, t.finalized_at, t.revision, t.namespace
FROM agent_runs t CROSS JOIN namespaces n WHERE n.id = t.namespace;
CREATE VIEW agent_executions_read AS
SELECT t.row, n.name AS belongs_to, t.run, t.id, t.iteration, t.place, t.state, t.tool_use_id, t.tool, t.input, t.agent, t.child_run, t.job, t.output,
  t.whole_output, t.is_error, t.error_message, t.approval, t.decided_by, t.decision_reason, t.decided_at, t.claimed_by, t.claimed_at,
  t.attempts, t.attempts_max, t.snoozes, t.last_error, t.scheduled_at, t.created_at, t.started_at, t.completed_at, t.namespace
FROM agent_executions t CROSS JOIN namespaces n WHERE n.id = t.namespace;
