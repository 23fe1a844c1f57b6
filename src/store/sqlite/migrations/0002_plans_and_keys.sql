-- Plans, actions and the keyspace. An action's jobs are enqueued in one transaction and have consecutive keys, so a range is all
-- that ties them together and no index is written on the way of a job.
CREATE TABLE plans (
  id INTEGER PRIMARY KEY,
  namespace INTEGER NOT NULL REFERENCES namespaces (id),
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  description TEXT NOT NULL,
  tasks INTEGER NOT NULL,
  needs TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  actions INTEGER NOT NULL DEFAULT 0,
  jobs INTEGER NOT NULL DEFAULT 0,
  UNIQUE (namespace, name)
);

-- settled_at: all its jobs are finished, the last of them then, and the counts below are final; they outlive the jobs. Until
-- then the counts are those of its jobs that are forgotten already.
CREATE TABLE actions (
  id INTEGER PRIMARY KEY,
  namespace INTEGER NOT NULL REFERENCES namespaces (id),
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  jobs INTEGER NOT NULL,
  settled_at INTEGER,
  completed INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  dead INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0,
  UNIQUE (namespace, name)
);
CREATE INDEX actions_open ON actions (id) WHERE settled_at IS NULL;
CREATE INDEX actions_settled ON actions (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX actions_by_plan ON actions (namespace, plan, id);

-- The keys of an action's jobs as stretches: one, or several when the action was copied from a store whose keys have gaps. place: of
-- the stretch's first job in the action.
CREATE TABLE action_jobs (
  first_job INTEGER PRIMARY KEY,
  action INTEGER NOT NULL,
  place INTEGER NOT NULL,
  jobs INTEGER NOT NULL
);
CREATE INDEX action_jobs_by_action ON action_jobs (action, place);

-- Where a job counts in its action: 0 waiting, 1 running, 2 completed, 3 failed, 4 dead, 5 cancelled. A dead job counts as failed
-- unless the last error is one of the engine's own (model/job.h).
CREATE VIEW job_outcomes AS
SELECT id, finished_at, CASE state
    WHEN 0 THEN 0
    WHEN 1 THEN 0
    WHEN 2 THEN 1
    WHEN 3 THEN 2
    WHEN 4 THEN CASE WHEN json_extract(error, '$.kind') IN
      ('timeout', 'worker_lost', 'rescue_failed', 'expired', 'dependency_failed', 'cancelled') THEN 4 ELSE 3 END
    ELSE 5
  END AS outcome
FROM jobs;

-- type: 0 text, 1 list, 2 hash, 3 set, 4 sorted set. space: 0 clients, 1 the fronts' own.
CREATE TABLE keys (
  id INTEGER PRIMARY KEY,
  namespace INTEGER NOT NULL,
  space INTEGER NOT NULL,
  name BLOB NOT NULL,
  type INTEGER NOT NULL CHECK (type BETWEEN 0 AND 4),
  expires_at INTEGER,
  count INTEGER NOT NULL DEFAULT 0,
  head INTEGER NOT NULL DEFAULT 0,
  tail INTEGER NOT NULL DEFAULT -1,
  value BLOB,
  UNIQUE (namespace, space, name)
);
CREATE INDEX keys_expiring ON keys (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE key_items (
  key INTEGER NOT NULL,
  position INTEGER NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (key, position)
) WITHOUT ROWID;

CREATE TABLE key_fields (
  key INTEGER NOT NULL,
  name BLOB NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (key, name)
) WITHOUT ROWID;

CREATE TABLE key_scores (
  key INTEGER NOT NULL,
  member BLOB NOT NULL,
  score REAL NOT NULL,
  PRIMARY KEY (key, member)
) WITHOUT ROWID;
CREATE INDEX key_scores_in_order ON key_scores (key, score, member);
