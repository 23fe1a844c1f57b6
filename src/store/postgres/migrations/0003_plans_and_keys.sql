-- Plans, actions and the keyspace. Names and values of clients are bytes; where they may be longer than an index entry, the index
-- holds their digest.
CREATE TABLE {schema}.plans (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace integer NOT NULL REFERENCES {schema}.namespaces (id),
  name text NOT NULL,
  text bytea NOT NULL,
  description bytea NOT NULL,
  tasks integer NOT NULL,
  needs bytea NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint,
  actions bigint NOT NULL DEFAULT 0,
  jobs bigint NOT NULL DEFAULT 0,
  UNIQUE (namespace, name)
) WITH (fillfactor = 80);

-- settled_at: all its jobs are finished, the last of them then, and the counts below are final; they outlive the jobs. Until
-- then the counts are those of its jobs that are forgotten already. job_keys: in the order of the action's inputs, which is
-- their own; first_job and last_job are the ends.
CREATE TABLE {schema}.actions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace integer NOT NULL REFERENCES {schema}.namespaces (id),
  name text NOT NULL,
  plan text NOT NULL,
  created_at bigint NOT NULL,
  jobs integer NOT NULL,
  first_job bigint NOT NULL,
  last_job bigint NOT NULL,
  settled_at bigint,
  completed bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  dead bigint NOT NULL DEFAULT 0,
  cancelled bigint NOT NULL DEFAULT 0,
  job_keys bigint[] NOT NULL,
  UNIQUE (namespace, name)
) WITH (fillfactor = 90);
CREATE INDEX actions_open ON {schema}.actions (id) WHERE settled_at IS NULL;
CREATE INDEX actions_settled ON {schema}.actions (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX actions_by_plan ON {schema}.actions (namespace, plan, id);

-- Is the last error of a dead job one of the engine's own (model/job.h)?
CREATE FUNCTION {schema}.ended_by_engine(error text) RETURNS boolean LANGUAGE sql IMMUTABLE AS
  $$ SELECT coalesce(error ~ '^\{"kind":"(timeout|worker_lost|rescue_failed|expired|dependency_failed|cancelled)"', false) $$;

-- How many of an action's jobs are where, of those that are still there, and when the last of them finished. A job that finished
-- did so after its action was made, which spares the older days of history.
CREATE FUNCTION {schema}.action_outcomes(keys bigint[], since bigint, OUT waiting bigint, OUT running bigint, OUT completed bigint,
                                         OUT failed bigint, OUT dead bigint, OUT cancelled bigint, OUT last_finished_at bigint)
LANGUAGE sql STABLE AS $$
  SELECT count(*) FILTER (WHERE o.outcome = 0), count(*) FILTER (WHERE o.outcome = 1), count(*) FILTER (WHERE o.outcome = 2),
         count(*) FILTER (WHERE o.outcome = 3), count(*) FILTER (WHERE o.outcome = 4), count(*) FILTER (WHERE o.outcome = 5),
         max(o.finished_at)
  FROM (
    SELECT 0 AS outcome, NULL::bigint AS finished_at FROM unnest(keys) AS k (id) JOIN {schema}.waiting w ON w.id = k.id
    UNION ALL
    SELECT 1, NULL FROM unnest(keys) AS k (id) JOIN {schema}.running r ON r.id = k.id
    UNION ALL
    SELECT CASE WHEN {schema}.ended_by_engine(d.error) THEN 4 ELSE 3 END, d.finished_at
    FROM unnest(keys) AS k (id) JOIN {schema}.dead d ON d.id = k.id
    UNION ALL
    SELECT CASE WHEN h.state = 3 THEN 2 ELSE 5 END, h.finished_at
    FROM unnest(keys) AS k (id) JOIN {schema}.history h ON h.id = k.id AND h.finished_at >= since
  ) AS o
$$;

-- type: 0 text, 1 list, 2 hash, 3 set, 4 sorted set. space: 0 clients, 1 the fronts' own.
CREATE TABLE {schema}.keys (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace integer NOT NULL REFERENCES {schema}.namespaces (id),
  space smallint NOT NULL,
  name bytea NOT NULL,
  type smallint NOT NULL CHECK (type BETWEEN 0 AND 4),
  expires_at bigint,
  count bigint NOT NULL DEFAULT 0,
  head bigint NOT NULL DEFAULT 0,
  tail bigint NOT NULL DEFAULT -1,
  value bytea
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX keys_by_name ON {schema}.keys (namespace, space, sha256(name));
CREATE INDEX keys_in_order ON {schema}.keys (namespace, space, substring(name FROM 1 FOR 256));
CREATE INDEX keys_expiring ON {schema}.keys (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE {schema}.key_items (
  key bigint NOT NULL,
  position bigint NOT NULL,
  value bytea NOT NULL,
  PRIMARY KEY (key, position)
);

CREATE TABLE {schema}.key_fields (
  key bigint NOT NULL,
  name bytea NOT NULL,
  value bytea NOT NULL
);
CREATE UNIQUE INDEX key_fields_by_name ON {schema}.key_fields (key, sha256(name));
CREATE INDEX key_fields_in_order ON {schema}.key_fields (key, substring(name FROM 1 FOR 256));

CREATE TABLE {schema}.key_scores (
  key bigint NOT NULL,
  member bytea NOT NULL,
  score double precision NOT NULL
);
CREATE UNIQUE INDEX key_scores_by_member ON {schema}.key_scores (key, sha256(member));
CREATE INDEX key_scores_in_order ON {schema}.key_scores (key, score, substring(member FROM 1 FOR 256));
