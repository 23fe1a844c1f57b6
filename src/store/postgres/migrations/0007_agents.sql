-- Agents, their tools, sessions and runs. Texts of people and of models are bytes, as elsewhere: they may hold what text cannot, and JSON
-- comes back to the last byte as it was written. Lists are JSON, times and
-- lengths of time milliseconds. What other programs see of all this is in 0008.

-- For reading by people and by views only: never an error, whatever the bytes are.
CREATE FUNCTION {schema}.agent_text(data bytea) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  RETURN convert_from(data, 'UTF8');
EXCEPTION WHEN others THEN
  RETURN encode(data, 'escape');
END $$;

-- The same of JSON. What jsonb cannot hold (U+0000, half a character) is replaced or shown as one text.
CREATE FUNCTION {schema}.agent_json(data bytea) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  RETURN convert_from(data, 'UTF8')::jsonb;
EXCEPTION WHEN others THEN
  BEGIN
    RETURN regexp_replace({schema}.agent_text(data), '(?<!\\)((\\\\)*)\\u0000', '\1\\ufffd', 'g')::jsonb;
  EXCEPTION WHEN others THEN
    RETURN to_jsonb({schema}.agent_text(data));
  END;
END $$;

-- One name may stand for several agents that differ in their metadata; metadata_key is the same for the same content.
CREATE TABLE {schema}.agents (
  id uuid PRIMARY KEY,
  namespace integer NOT NULL REFERENCES {schema}.namespaces (id),
  name text COLLATE "C" NOT NULL,
  metadata_key text NOT NULL,
  max_tokens bigint,
  temperature double precision,
  top_k bigint,
  top_p double precision,
  cache_prompt boolean NOT NULL,
  iterations_max bigint NOT NULL,
  tokens_per_run bigint NOT NULL,
  tokens_per_session bigint NOT NULL,
  tokens_per_day bigint NOT NULL,
  microdollars_per_run bigint NOT NULL,
  microdollars_per_session bigint NOT NULL,
  microdollars_per_day bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  revision bigint NOT NULL,
  description bytea NOT NULL,
  model bytea NOT NULL,
  system_prompt bytea NOT NULL,
  tools bytea NOT NULL,
  delegates bytea NOT NULL,
  betas bytea NOT NULL,
  tool_choice bytea NOT NULL,
  thinking bytea NOT NULL,
  stop_sequences bytea NOT NULL,
  metadata bytea NOT NULL,
  config bytea NOT NULL,
  CONSTRAINT agent_name_valid CHECK (char_length(name) BETWEEN 1 AND 255),
  CONSTRAINT agent_unique_name_metadata UNIQUE (namespace, name, metadata_key)
);
CREATE INDEX agents_in_order ON {schema}.agents (namespace, name, id);

CREATE TABLE {schema}.agent_tools (
  namespace integer NOT NULL REFERENCES {schema}.namespaces (id),
  name text COLLATE "C" NOT NULL,
  queue text NOT NULL,
  approval text NOT NULL CHECK (approval IN ('never', 'ask')),
  timeout bigint NOT NULL,
  attempts_max bigint NOT NULL,
  retry_jitter double precision NOT NULL,
  concurrency bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  revision bigint NOT NULL,
  description bytea NOT NULL,
  input_schema bytea NOT NULL,
  needs bytea NOT NULL,
  arguments bytea NOT NULL,
  metadata bytea NOT NULL,
  PRIMARY KEY (namespace, name),
  CONSTRAINT tool_name_valid CHECK (char_length(name) BETWEEN 1 AND 127)
);

-- number: the order in which they were made. last_message: the highest number that was given to a message.
CREATE TABLE {schema}.agent_sessions (
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  id uuid PRIMARY KEY,
  namespace integer NOT NULL REFERENCES {schema}.namespaces (id),
  parent uuid REFERENCES {schema}.agent_sessions (id) ON DELETE CASCADE,
  depth integer NOT NULL,
  compactions integer NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  revision bigint NOT NULL,
  last_message bigint NOT NULL,
  metadata bytea NOT NULL,
  variables bytea NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX agent_sessions_in_order ON {schema}.agent_sessions (namespace, number);
CREATE INDEX agent_sessions_by_parent ON {schema}.agent_sessions (parent, number) WHERE parent IS NOT NULL;
CREATE INDEX agent_sessions_metadata ON {schema}.agent_sessions USING gin (({schema}.agent_json(metadata)) jsonb_path_ops);

-- job: the key of the run's job, and what everything of the run refers to; it stays when the job is forgotten, and tells the order in which
-- runs were started. id: that job's public id.
CREATE TABLE {schema}.agent_runs (
  job bigint PRIMARY KEY,
  id uuid NOT NULL UNIQUE,
  namespace integer NOT NULL REFERENCES {schema}.namespaces (id),
  session uuid NOT NULL REFERENCES {schema}.agent_sessions (id) ON DELETE CASCADE,
  agent uuid NOT NULL REFERENCES {schema}.agents (id),
  mode text NOT NULL CHECK (mode IN ('batch', 'streaming')),
  parent bigint REFERENCES {schema}.agent_runs (job) ON DELETE CASCADE,
  parent_execution uuid,
  depth integer NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'batch_submitting', 'batch_pending', 'batch_processing', 'streaming', 'pending_tools', 'awaiting_input',
                   'completed', 'cancelled', 'failed')),
  previous_state text CHECK (previous_state IN ('pending', 'batch_submitting', 'batch_pending', 'batch_processing', 'streaming', 'pending_tools', 'awaiting_input',
                   'completed', 'cancelled', 'failed')),
  iteration integer NOT NULL,
  iteration_id uuid,
  input bigint NOT NULL,
  output bigint NOT NULL,
  cache_creation bigint NOT NULL,
  cache_read bigint NOT NULL,
  microdollars bigint NOT NULL,
  iterations integer NOT NULL,
  tool_iterations integer NOT NULL,
  rescues integer NOT NULL,
  tokens_per_run bigint NOT NULL,
  tokens_per_session bigint NOT NULL,
  tokens_per_day bigint NOT NULL,
  microdollars_per_run bigint NOT NULL,
  microdollars_per_session bigint NOT NULL,
  microdollars_per_day bigint NOT NULL,
  claimed_at bigint,
  last_rescue_at bigint,
  created_at bigint NOT NULL,
  started_at bigint,
  finalized_at bigint,
  revision bigint NOT NULL,
  created_by text NOT NULL,
  claimed_by text NOT NULL,
  error_type text NOT NULL,
  stop_reason bytea NOT NULL,
  error_message bytea NOT NULL,
  prompt bytea NOT NULL,
  response_text bytea,
  variables bytea NOT NULL,
  CONSTRAINT run_finalized_consistency CHECK ((state IN ('completed', 'cancelled', 'failed')) = (finalized_at IS NOT NULL)),
  CONSTRAINT run_depth_consistency CHECK ((depth = 0) = (parent IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX agent_runs_in_order ON {schema}.agent_runs (namespace, job);
CREATE INDEX agent_runs_by_session ON {schema}.agent_runs (session, job);
CREATE INDEX agent_runs_by_agent ON {schema}.agent_runs (agent, job);
CREATE INDEX agent_runs_by_parent ON {schema}.agent_runs (parent, job) WHERE parent IS NOT NULL;
CREATE INDEX agent_runs_unfinished ON {schema}.agent_runs (session, job) WHERE finalized_at IS NULL;

CREATE TABLE {schema}.agent_iterations (
  id uuid PRIMARY KEY,
  run bigint NOT NULL REFERENCES {schema}.agent_runs (job) ON DELETE CASCADE,
  number integer NOT NULL,
  streaming boolean NOT NULL,
  triggered_by text NOT NULL CHECK (triggered_by IN ('user_prompt', 'tool_results', 'continuation')),
  batch_job bigint,
  batch_status text CHECK (batch_status IN ('in_progress', 'canceling', 'ended')),
  batch_submitted_at bigint,
  batch_completed_at bigint,
  batch_expires_at bigint,
  batch_polls integer NOT NULL,
  batch_polled_at bigint,
  streaming_started_at bigint,
  streaming_completed_at bigint,
  attempts integer NOT NULL,
  response uuid,
  has_tool_use boolean NOT NULL,
  executions integer NOT NULL,
  input bigint NOT NULL,
  output bigint NOT NULL,
  cache_creation bigint NOT NULL,
  cache_read bigint NOT NULL,
  microdollars bigint NOT NULL,
  error_type text NOT NULL,
  created_at bigint NOT NULL,
  started_at bigint,
  completed_at bigint,
  batch_id bytea NOT NULL,
  stop_reason bytea NOT NULL,
  error_message bytea NOT NULL,
  partial_text bytea NOT NULL,
  CONSTRAINT unique_iteration_per_run UNIQUE (run, number)
) WITH (fillfactor = 70);

-- number: the order in which they were made.
CREATE TABLE {schema}.agent_executions (
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  id uuid PRIMARY KEY,
  run bigint NOT NULL REFERENCES {schema}.agent_runs (job) ON DELETE CASCADE,
  iteration uuid NOT NULL REFERENCES {schema}.agent_iterations (id) ON DELETE CASCADE,
  place integer NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'running', 'completed', 'failed', 'skipped')),
  agent uuid,
  child_run bigint,
  job bigint,
  whole_output uuid,
  is_error boolean NOT NULL,
  approval text NOT NULL CHECK (approval IN ('not_needed', 'asked', 'approved', 'denied')),
  decided_at bigint,
  claimed_by text NOT NULL,
  claimed_at bigint,
  attempts integer NOT NULL,
  attempts_max integer NOT NULL,
  snoozes integer NOT NULL,
  scheduled_at bigint,
  created_at bigint NOT NULL,
  started_at bigint,
  completed_at bigint,
  tool_use_id bytea NOT NULL,
  tool bytea NOT NULL,
  input bytea NOT NULL,
  output bytea,
  error_message bytea NOT NULL,
  decided_by bytea NOT NULL,
  decision_reason bytea NOT NULL,
  last_error bytea NOT NULL,
  CONSTRAINT tool_exec_state_consistency CHECK ((state IN ('completed', 'failed', 'skipped')) = (completed_at IS NOT NULL))
) WITH (fillfactor = 70);
CREATE INDEX agent_executions_by_run ON {schema}.agent_executions (run, number);
CREATE INDEX agent_executions_by_iteration ON {schema}.agent_executions (iteration, place);
CREATE INDEX agent_executions_by_job ON {schema}.agent_executions (job) WHERE job IS NOT NULL;
CREATE INDEX agent_executions_asked ON {schema}.agent_executions (number) WHERE approval = 'asked';

-- compaction: the event that put the message where it is.
CREATE TABLE {schema}.agent_messages (
  session uuid NOT NULL REFERENCES {schema}.agent_sessions (id) ON DELETE CASCADE,
  number bigint NOT NULL,
  id uuid NOT NULL UNIQUE,
  run bigint,
  run_depth integer NOT NULL,
  role text NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
  preserved boolean NOT NULL,
  summary boolean NOT NULL,
  input bigint NOT NULL,
  output bigint NOT NULL,
  cache_creation bigint NOT NULL,
  cache_read bigint NOT NULL,
  created_at bigint NOT NULL,
  compaction uuid,
  blocks bytea NOT NULL,
  metadata bytea NOT NULL,
  PRIMARY KEY (session, number)
);
CREATE INDEX agent_messages_by_run ON {schema}.agent_messages (run, number) WHERE run IS NOT NULL;

-- number: the order in which they happened. preserved: message ids, as a JSON array.
CREATE TABLE {schema}.agent_compactions (
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  id uuid PRIMARY KEY,
  session uuid NOT NULL REFERENCES {schema}.agent_sessions (id) ON DELETE CASCADE,
  strategy text NOT NULL,
  original_tokens bigint NOT NULL,
  compacted_tokens bigint NOT NULL,
  messages_removed bigint NOT NULL,
  took bigint NOT NULL,
  restored boolean NOT NULL,
  created_at bigint NOT NULL,
  summary bytea NOT NULL,
  preserved bytea NOT NULL,
  model bytea NOT NULL
);
CREATE INDEX agent_compactions_by_session ON {schema}.agent_compactions (session, number);

-- Messages that a compaction took away, as they were.
CREATE TABLE {schema}.agent_archive (
  event uuid NOT NULL REFERENCES {schema}.agent_compactions (id) ON DELETE CASCADE,
  session uuid NOT NULL,
  number bigint NOT NULL,
  id uuid NOT NULL,
  run bigint,
  run_depth integer NOT NULL,
  role text NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
  preserved boolean NOT NULL,
  summary boolean NOT NULL,
  input bigint NOT NULL,
  output bigint NOT NULL,
  cache_creation bigint NOT NULL,
  cache_read bigint NOT NULL,
  created_at bigint NOT NULL,
  compaction uuid,
  blocks bytea NOT NULL,
  metadata bytea NOT NULL,
  PRIMARY KEY (event, number)
);

-- scope: 0 of a session (day 0), 1 of an agent on a day, 2 of a namespace on a day. subject: the id of the session or agent. day: since 1970, by
-- UTC.
CREATE TABLE {schema}.agent_spending (
  namespace integer NOT NULL REFERENCES {schema}.namespaces (id),
  scope smallint NOT NULL CHECK (scope BETWEEN 0 AND 2),
  subject text NOT NULL,
  day bigint NOT NULL,
  input bigint NOT NULL,
  output bigint NOT NULL,
  cache_creation bigint NOT NULL,
  cache_read bigint NOT NULL,
  microdollars bigint NOT NULL,
  PRIMARY KEY (namespace, scope, subject, day)
) WITH (fillfactor = 50);

CREATE TABLE {schema}.agent_blobs (
  id uuid PRIMARY KEY,
  session uuid NOT NULL REFERENCES {schema}.agent_sessions (id) ON DELETE CASCADE,
  data bytea NOT NULL
);
CREATE INDEX agent_blobs_by_session ON {schema}.agent_blobs (session);

-- The public id of a run.
CREATE FUNCTION {schema}.agent_run_id(run bigint) RETURNS uuid LANGUAGE sql STABLE AS
  $$ SELECT r.id FROM {schema}.agent_runs r WHERE r.job = run $$;

-- AgentPG's notifications, on its channels and with its keys, sent when the transaction commits. Names are at most 255 characters long, so a
-- payload is far below PostgreSQL's 8000 bytes. Triggers of one event fire in the order of their names, which is AgentPG's too.
-- What a copy of a store brings is no news.
CREATE FUNCTION {schema}.agentpg_notify_run_created() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('agentpg_run_created', json_build_object(
    'run_id', NEW.id, 'session_id', NEW.session, 'agent_id', NEW.agent,
    'agent_name', (SELECT name FROM {schema}.agents WHERE id = NEW.agent),
    'run_mode', NEW.mode, 'parent_run_id', {schema}.agent_run_id(NEW.parent), 'depth', NEW.depth)::text);
  RETURN NULL;
END $$;
CREATE TRIGGER agentpg_trg_run_created AFTER INSERT ON {schema}.agent_runs FOR EACH ROW
  WHEN (NEW.state = 'pending' AND current_setting('muster.copying', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION {schema}.agentpg_notify_run_created();

-- What has ended stays as it ended, whoever writes.
CREATE FUNCTION {schema}.agent_run_stays_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'run % is % and stays so: it violates "run_finalized_consistency"', OLD.id, OLD.state
    USING ERRCODE = 'check_violation', CONSTRAINT = 'run_finalized_consistency';
END $$;
CREATE TRIGGER agent_run_stays_final BEFORE UPDATE ON {schema}.agent_runs FOR EACH ROW
  WHEN (OLD.finalized_at IS NOT NULL AND NEW.state <> OLD.state)
  EXECUTE FUNCTION {schema}.agent_run_stays_final();

-- A run that was called as a tool is that tool's result. The caller's row first: whoever writes there holds it before its executions.
CREATE FUNCTION {schema}.agentpg_handle_child_run_complete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM {schema}.agent_runs WHERE job = NEW.parent FOR NO KEY UPDATE;
  UPDATE {schema}.agent_executions
  SET state = CASE NEW.state WHEN 'completed' THEN 'completed' ELSE 'failed' END, output = NEW.response_text,
      is_error = NEW.state <> 'completed', error_message = NEW.error_message, completed_at = NEW.finalized_at
  WHERE id = NEW.parent_execution AND run = NEW.parent AND completed_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER agentpg_trg_child_run_complete AFTER UPDATE ON {schema}.agent_runs FOR EACH ROW
  WHEN (OLD.finalized_at IS NULL AND NEW.finalized_at IS NOT NULL AND NEW.parent_execution IS NOT NULL)
  EXECUTE FUNCTION {schema}.agentpg_handle_child_run_complete();

CREATE FUNCTION {schema}.agentpg_notify_run_state_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('agentpg_run_state', json_build_object(
    'run_id', NEW.id, 'session_id', NEW.session, 'agent_id', NEW.agent,
    'agent_name', (SELECT name FROM {schema}.agents WHERE id = NEW.agent),
    'state', NEW.state, 'previous_state', OLD.state,
    'parent_run_id', {schema}.agent_run_id(NEW.parent))::text);
  IF NEW.finalized_at IS NOT NULL THEN
    PERFORM pg_notify('agentpg_run_finalized', json_build_object(
      'run_id', NEW.id, 'session_id', NEW.session, 'state', NEW.state, 'parent_run_id', {schema}.agent_run_id(NEW.parent),
      'parent_tool_execution_id', NEW.parent_execution)::text);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER agentpg_trg_run_state_change AFTER UPDATE ON {schema}.agent_runs FOR EACH ROW WHEN (OLD.state <> NEW.state)
  EXECUTE FUNCTION {schema}.agentpg_notify_run_state_change();

CREATE FUNCTION {schema}.agentpg_notify_tool_created() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('agentpg_tool_pending', json_build_object(
    'execution_id', NEW.id, 'run_id', {schema}.agent_run_id(NEW.run), 'tool_name', left({schema}.agent_text(NEW.tool), 255),
    'is_agent_tool', NEW.agent IS NOT NULL, 'agent_id', NEW.agent,
    'agent_name', (SELECT name FROM {schema}.agents WHERE id = NEW.agent))::text);
  RETURN NULL;
END $$;
CREATE TRIGGER agentpg_trg_tool_created AFTER INSERT ON {schema}.agent_executions FOR EACH ROW
  WHEN (NEW.state = 'pending' AND current_setting('muster.copying', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION {schema}.agentpg_notify_tool_created();

-- The row of the run is held while it is counted: of two transactions that close the last two, the second waits here and sees the first.
CREATE FUNCTION {schema}.agentpg_notify_tools_complete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM {schema}.agent_runs WHERE job = NEW.run FOR NO KEY UPDATE;
  IF NOT EXISTS (SELECT 1 FROM {schema}.agent_executions WHERE iteration = NEW.iteration AND completed_at IS NULL) THEN
    PERFORM pg_notify('agentpg_tools_complete', json_build_object('run_id', {schema}.agent_run_id(NEW.run))::text);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER agentpg_trg_tools_complete AFTER UPDATE ON {schema}.agent_executions FOR EACH ROW
  WHEN (OLD.completed_at IS NULL AND NEW.completed_at IS NOT NULL)
  EXECUTE FUNCTION {schema}.agentpg_notify_tools_complete();
