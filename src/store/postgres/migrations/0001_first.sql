-- The first schema. Times are milliseconds since 1970 by the database's clock; free text and keys of clients are bytes, since they may
-- hold what text cannot. A live job is a row of `waiting` or of `running`, a finished one of `history` or of `dead`: moving
-- is deleting and inserting, so that no index ever covers a column that changes.
CREATE FUNCTION {schema}.now_ms() RETURNS bigint LANGUAGE sql STABLE AS
  $$ SELECT floor(date_part('epoch', now()) * 1000)::bigint $$;

CREATE TABLE {schema}.meta (
  name text PRIMARY KEY,
  value text NOT NULL
);

CREATE SEQUENCE {schema}.job_keys AS bigint;
CREATE SEQUENCE {schema}.fences AS bigint;
CREATE SEQUENCE {schema}.terms AS bigint;

CREATE TABLE {schema}.namespaces (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  description bytea NOT NULL,
  created_at bigint NOT NULL
);

-- gated: a pause, a cap or a rate lets less through than the workers could take.
CREATE TABLE {schema}.queues (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace integer NOT NULL REFERENCES {schema}.namespaces (id),
  name text NOT NULL,
  settings bytea,
  gated boolean NOT NULL DEFAULT false,
  tokens double precision,
  filled_at bigint,
  UNIQUE (namespace, name)
) WITH (fillfactor = 50);

-- special: its jobs carry wishes (below) that a claim must look at one by one. home: for a lane made for jobs held for a worker
-- or a preference, the lane they come from.
CREATE TABLE {schema}.lanes (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  queue integer NOT NULL REFERENCES {schema}.queues (id),
  type text NOT NULL,
  needs bytea NOT NULL,
  special boolean NOT NULL,
  home integer
);
-- Needs can be longer than an index entry may be.
CREATE UNIQUE INDEX lanes_by_needs ON {schema}.lanes (queue, type, md5(needs), special, coalesce(home, 0));

-- place: 0 scheduled, 1 ready in lane `stand`, 2 ready but its concurrency key is full, 3 waiting for other jobs.
CREATE TABLE {schema}.waiting (
  id bigint PRIMARY KEY,
  rank bigint NOT NULL,
  created_at bigint NOT NULL,
  run_at bigint,
  lane integer NOT NULL,
  stand integer NOT NULL,
  attempt integer NOT NULL,
  rescues integer NOT NULL,
  place smallint NOT NULL CHECK (place BETWEEN 0 AND 3),
  flags smallint NOT NULL,
  priority smallint NOT NULL,
  event smallint NOT NULL,
  special boolean NOT NULL,
  lease_ms bigint,
  timeout_ms bigint,
  expires_at bigint,
  fence bigint,
  started_at bigint,
  worker integer,
  spec text,
  payload bytea NOT NULL,
  error text,
  attempts text,
  progress text,
  partial bytea,
  CHECK ((place = 3) = (run_at IS NULL))
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 50000);
CREATE INDEX waiting_ready ON {schema}.waiting (stand, rank, id) WHERE place = 1;
-- For claims across all lanes only. `stand > 0` always holds; a statement that does not say it cannot be planned by this index, or claims of one
-- lane would walk the whole queue by it.
CREATE INDEX waiting_in_order ON {schema}.waiting (rank, id) INCLUDE (stand) WHERE place = 1 AND stand > 0;
CREATE INDEX waiting_due ON {schema}.waiting (run_at) WHERE place = 0;
CREATE INDEX waiting_expiring ON {schema}.waiting (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX waiting_held ON {schema}.waiting (stand) WHERE stand <> lane;

-- granted_ms: the lease in force. own_ttl: it is not the worker's own dead_after, so the worker's silence does not tell when it ends.
-- lapsed: a heartbeat found it expired, and later heartbeats must not revive it. counted: under a cap of its queue.
CREATE TABLE {schema}.running (
  id bigint PRIMARY KEY,
  rank bigint NOT NULL,
  created_at bigint NOT NULL,
  run_at bigint NOT NULL,
  fence bigint NOT NULL,
  started_at bigint NOT NULL,
  lease_until bigint NOT NULL,
  granted_ms bigint NOT NULL,
  lane integer NOT NULL,
  worker integer NOT NULL,
  attempt integer NOT NULL,
  rescues integer NOT NULL,
  flags smallint NOT NULL,
  priority smallint NOT NULL,
  special boolean NOT NULL,
  own_ttl boolean NOT NULL,
  lapsed boolean NOT NULL DEFAULT false,
  counted boolean NOT NULL DEFAULT false,
  lease_ms bigint,
  timeout_ms bigint,
  times_out_at bigint,
  expires_at bigint,
  spec text,
  payload bytea NOT NULL,
  error text,
  attempts text,
  progress text,
  partial bytea,
  cancel_reason bytea
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 50000);
CREATE INDEX running_by_worker ON {schema}.running (worker);
CREATE INDEX running_own_ttl ON {schema}.running (lease_until) WHERE own_ttl;
CREATE INDEX running_timing_out ON {schema}.running (times_out_at) WHERE times_out_at IS NOT NULL;
CREATE INDEX running_counted ON {schema}.running (lane) WHERE counted;

-- Completed and cancelled jobs, in partitions by the day they finished; a partition that is old enough is dropped whole.
CREATE TABLE {schema}.history (
  id bigint NOT NULL,
  finished_at bigint NOT NULL,
  created_at bigint NOT NULL,
  run_at bigint,
  fence bigint,
  started_at bigint,
  lane integer NOT NULL,
  worker integer,
  attempt integer NOT NULL,
  rescues integer NOT NULL,
  state smallint NOT NULL CHECK (state BETWEEN 3 AND 5),
  flags smallint NOT NULL,
  priority smallint NOT NULL,
  event smallint NOT NULL,
  lease_ms bigint,
  timeout_ms bigint,
  expires_at bigint,
  spec text,
  payload bytea NOT NULL,
  result bytea,
  error text,
  attempts text,
  progress text,
  partial bytea,
  PRIMARY KEY (id, finished_at)
) PARTITION BY RANGE (finished_at);
CREATE TABLE {schema}.history_rest PARTITION OF {schema}.history DEFAULT;
CREATE INDEX history_rest_by_age ON {schema}.history_rest (finished_at);

-- Dead jobs wait for somebody to look at them, longer than the others and until they are re-driven.
CREATE TABLE {schema}.dead (LIKE {schema}.history INCLUDING CONSTRAINTS, PRIMARY KEY (id));
CREATE INDEX dead_by_age ON {schema}.dead (finished_at);

ALTER TABLE {schema}.waiting ALTER payload SET STORAGE EXTERNAL;
ALTER TABLE {schema}.running ALTER payload SET STORAGE EXTERNAL;

-- What ties a job to others, kept while it lives. pending: dependencies that are not finished.
CREATE TABLE {schema}.wishes (
  job bigint PRIMARY KEY,
  namespace integer NOT NULL,
  concurrency_key bytea,
  concurrency_limit integer,
  sticky_key bytea,
  prefer text,
  prefer_until bigint,
  fair_lane integer,
  fair_start bigint,
  unique_key bytea,
  unique_waiting boolean NOT NULL DEFAULT false,
  not_before bigint,
  pending integer NOT NULL DEFAULT 0,
  run_on_failure boolean NOT NULL DEFAULT false
);
CREATE INDEX wishes_preferring ON {schema}.wishes (prefer_until) WHERE prefer IS NOT NULL;
CREATE INDEX wishes_fair ON {schema}.wishes (fair_lane) WHERE fair_lane IS NOT NULL;

-- Running jobs by the concurrency key they hold.
CREATE TABLE {schema}.holders (
  namespace integer NOT NULL,
  key bytea NOT NULL,
  job bigint NOT NULL,
  PRIMARY KEY (namespace, key, job)
);

-- Ready jobs that found their key full (place 2), in their order, by lane and limit: a freed key calls the first of each, because a waiter
-- whose workers are missing, or that wants the key for itself, must not stand in the way of one that could run.
CREATE TABLE {schema}.parked (
  namespace integer NOT NULL,
  key bytea NOT NULL,
  stand integer NOT NULL,
  key_limit integer NOT NULL,
  rank bigint NOT NULL,
  job bigint NOT NULL,
  PRIMARY KEY (namespace, key, stand, key_limit, rank, job)
);

CREATE TABLE {schema}.idempotency (
  namespace integer NOT NULL,
  key bytea NOT NULL,
  job bigint NOT NULL,
  PRIMARY KEY (namespace, key)
);
CREATE INDEX idempotency_by_job ON {schema}.idempotency (job);

CREATE TABLE {schema}.uniques (
  namespace integer NOT NULL,
  key bytea NOT NULL,
  job bigint NOT NULL,
  PRIMARY KEY (namespace, key)
);

-- Unfinished dependencies only: a row goes when the job it waits for is finished.
CREATE TABLE {schema}.dependencies (
  job bigint NOT NULL,
  after bigint NOT NULL,
  PRIMARY KEY (job, after)
);
CREATE INDEX dependencies_by_after ON {schema}.dependencies (after);

CREATE TABLE {schema}.sticky (
  queue integer NOT NULL,
  key bytea NOT NULL,
  worker integer NOT NULL,
  PRIMARY KEY (queue, key)
);
CREATE INDEX sticky_by_worker ON {schema}.sticky (worker);

-- Fair queueing: the virtual finish of each key of a lane; the row with the empty key holds the lane's virtual time.
CREATE TABLE {schema}.fair (
  lane integer NOT NULL,
  key bytea NOT NULL,
  finish bigint NOT NULL,
  PRIMARY KEY (lane, key)
) WITH (fillfactor = 50);

CREATE TABLE {schema}.workers (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace integer NOT NULL REFERENCES {schema}.namespaces (id),
  name text NOT NULL,
  session bigint NOT NULL,
  state smallint NOT NULL CHECK (state BETWEEN 0 AND 2),
  revision bigint NOT NULL,
  slots integer NOT NULL,
  dead_after_ms bigint NOT NULL,
  spec text NOT NULL,
  registered_at bigint NOT NULL,
  last_seen_at bigint NOT NULL,
  offline_at bigint,
  offline_cause text NOT NULL DEFAULT '',
  drain_deadline bigint,
  drain_reason bytea NOT NULL DEFAULT '',
  completed bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  stats bytea NOT NULL DEFAULT '',
  UNIQUE (namespace, name)
) WITH (fillfactor = 80);

-- Signs of life cost no log. After a crash of the database these three are empty: nodes fill them again by themselves, and until
-- then a worker without a row counts as alive.
CREATE UNLOGGED TABLE {schema}.beats (
  worker integer PRIMARY KEY,
  seen_at bigint NOT NULL,
  completed bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  node text NOT NULL DEFAULT '',
  stats bytea NOT NULL DEFAULT ''
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0);

CREATE UNLOGGED TABLE {schema}.nodes (
  name text PRIMARY KEY,
  started_at bigint NOT NULL,
  seen_at bigint NOT NULL,
  address text NOT NULL,
  version text NOT NULL,
  listening boolean NOT NULL,
  pending integer NOT NULL,
  notify_lag_ms bigint NOT NULL
) WITH (fillfactor = 50);

CREATE UNLOGGED TABLE {schema}.leader (
  name text PRIMARY KEY CHECK (name = 'sweeps'),
  node text NOT NULL,
  term bigint NOT NULL,
  elected_at bigint NOT NULL,
  expires_at bigint NOT NULL
) WITH (fillfactor = 50);

INSERT INTO {schema}.namespaces (name, description, created_at)
  VALUES ('default', 'where everything goes that names no other', {schema}.now_ms());
