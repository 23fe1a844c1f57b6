-- Runs (jobs with steps), signals, schedules, and facts of namespaces. Names and contents of clients are bytes, as elsewhere.
--
-- One row for each attempt at a step, by its place in the run, 1 first. No index covers a column that changes: waiting steps are
-- found among those of their run, which are few. flags: 1 the input is bytes, 2 the output is. worker is a name, since it outlives
-- the row of the worker.
CREATE TABLE {schema}.steps (
  job bigint NOT NULL,
  place integer NOT NULL,
  attempt integer NOT NULL,
  kind smallint NOT NULL CHECK (kind BETWEEN 0 AND 3),
  state smallint NOT NULL CHECK (state BETWEEN 0 AND 3),
  flags smallint NOT NULL,
  begun_at bigint NOT NULL,
  finished_at bigint,
  until bigint,
  fence bigint NOT NULL,
  child bigint,
  worker text NOT NULL,
  name bytea NOT NULL,
  signal bytea NOT NULL,
  policy text,
  error text,
  input bytea,
  output bytea,
  PRIMARY KEY (job, place)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX steps_by_name ON {schema}.steps (job, name, place);
ALTER TABLE {schema}.steps ALTER input SET STORAGE EXTERNAL, ALTER output SET STORAGE EXTERNAL;

-- Signals that nobody has taken yet, by their place in the order in which they came. flags: 1 the data is bytes.
CREATE TABLE {schema}.signals (
  job bigint NOT NULL,
  place bigint NOT NULL,
  flags smallint NOT NULL,
  name bytea NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (job, place)
);

-- queue and type are those of the spec, to search by. due_at: the next fire of one that is enabled.
CREATE TABLE {schema}.schedules (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace integer NOT NULL REFERENCES {schema}.namespaces (id),
  name text NOT NULL,
  queue text NOT NULL,
  type text NOT NULL,
  enabled boolean NOT NULL,
  due_at bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  next_fire_at bigint,
  last_fired_at bigint,
  caught_up_to bigint,
  buffered bigint,
  last_job bigint,
  fired bigint NOT NULL,
  skipped bigint NOT NULL,
  revision bigint NOT NULL,
  spec text NOT NULL,
  payload bytea NOT NULL,
  UNIQUE (namespace, name)
) WITH (fillfactor = 70);
CREATE INDEX schedules_due ON {schema}.schedules (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX schedules_buffered ON {schema}.schedules (buffered) WHERE buffered IS NOT NULL AND enabled;

ALTER TABLE {schema}.namespaces ADD COLUMN display_name bytea NOT NULL DEFAULT '', ADD COLUMN enabled boolean NOT NULL DEFAULT true,
  ADD COLUMN updated_at bigint;

-- Jobs with a deadline (flag 512) end at it while they run, too: expires_at is that instant then, or the earlier end of their waiting.
CREATE INDEX running_deadlines ON {schema}.running (expires_at) WHERE flags & 512 <> 0;

-- The last event, which a running job does not keep: it was claimed.
CREATE OR REPLACE VIEW {schema}.jobs AS
SELECT 0::smallint AS source, id, lane, (CASE WHEN place IN (1, 2) THEN 1 ELSE 0 END)::smallint AS state, flags, priority, run_at,
       created_at, attempt, rescues, fence, worker, started_at, NULL::bigint AS finished_at, expires_at, NULL::bigint AS lease_until,
       NULL::bigint AS granted_ms, NULL::boolean AS lapsed, spec, payload, NULL::bytea AS result, error, attempts, progress, partial, event
FROM {schema}.waiting
UNION ALL
SELECT 1::smallint, id, lane, 2::smallint, flags, priority, run_at, created_at, attempt, rescues, fence, worker, started_at, NULL::bigint,
       expires_at, lease_until, granted_ms, lapsed, spec, payload, NULL::bytea, error, attempts, progress, partial, 2::smallint
FROM {schema}.running
UNION ALL
SELECT 2::smallint, id, lane, state, flags, priority, run_at, created_at, attempt, rescues, fence, worker, started_at, finished_at,
       expires_at, NULL::bigint, NULL::bigint, NULL::boolean, spec, payload, result, error, attempts, progress, partial, event
FROM {schema}.dead
UNION ALL
SELECT 3::smallint, id, lane, state, flags, priority, run_at, created_at, attempt, rescues, fence, worker, started_at, finished_at,
       expires_at, NULL::bigint, NULL::bigint, NULL::boolean, spec, payload, result, error, attempts, progress, partial, event
FROM {schema}.history;

-- Is the last error of a dead job one of the engine's own (model/job.h)?
CREATE OR REPLACE FUNCTION {schema}.ended_by_engine(error text) RETURNS boolean LANGUAGE sql IMMUTABLE AS
  $$ SELECT coalesce(
       error ~ '^\{"kind":"(timeout|worker_lost|rescue_failed|expired|dependency_failed|cancelled|deadline|terminated)"', false) $$;
