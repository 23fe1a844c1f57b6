-- The first schema. Integer keys everywhere; no secondary index on what the hot path writes.
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value
) WITHOUT ROWID;

CREATE TABLE namespaces (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE TABLE queues (
  id INTEGER PRIMARY KEY,
  namespace INTEGER NOT NULL REFERENCES namespaces (id),
  name TEXT NOT NULL,
  settings TEXT,
  UNIQUE (namespace, name)
);

CREATE TABLE lanes (
  id INTEGER PRIMARY KEY,
  queue INTEGER NOT NULL REFERENCES queues (id),
  type TEXT NOT NULL,
  needs TEXT NOT NULL,
  UNIQUE (queue, type, needs)
);

-- state: 0 scheduled, 1 ready, 2 running, 3 completed, 4 dead, 5 cancelled. A scheduled row whose run_at has come is ready: being due is
-- not written. run_at is NULL while the job waits for other jobs.
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY,
  lane INTEGER NOT NULL,
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 5),
  flags INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  run_at INTEGER,
  created_at INTEGER NOT NULL,
  event INTEGER,
  attempt INTEGER,
  rescues INTEGER,
  fence INTEGER,
  worker INTEGER,
  started_at INTEGER,
  finished_at INTEGER,
  expires_at INTEGER,
  lease INTEGER, -- milliseconds, when the claim or a renewal asked for its own
  cancel_reason TEXT,
  spec TEXT,
  payload BLOB,
  result BLOB,
  error TEXT,
  CHECK ((state >= 3) = (finished_at IS NOT NULL))
);

-- Payloads and results above the inline threshold. kind: 0 payload, 1 result.
CREATE TABLE contents (
  job INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (job, kind)
);

CREATE TABLE idempotency (
  namespace INTEGER NOT NULL,
  key TEXT NOT NULL,
  job INTEGER NOT NULL,
  PRIMARY KEY (namespace, key)
) WITHOUT ROWID;

-- Unfinished dependencies only: a row goes when the job it waits for is finished.
CREATE TABLE dependencies (
  job INTEGER NOT NULL,
  after INTEGER NOT NULL,
  PRIMARY KEY (job, after)
) WITHOUT ROWID;

CREATE TABLE attempts (
  id INTEGER PRIMARY KEY,
  job INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  worker INTEGER,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  error TEXT
);
CREATE INDEX attempts_by_job ON attempts (job, id);

CREATE TABLE progress (
  job INTEGER PRIMARY KEY,
  fraction REAL NOT NULL,
  message TEXT NOT NULL,
  partial BLOB,
  partial_encoding INTEGER NOT NULL,
  at INTEGER NOT NULL
);

CREATE TABLE workers (
  id INTEGER PRIMARY KEY,
  namespace INTEGER NOT NULL,
  name TEXT NOT NULL,
  session INTEGER NOT NULL,
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 2),
  spec TEXT NOT NULL,
  registered_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  offline_at INTEGER,
  offline_cause TEXT NOT NULL,
  drain_deadline INTEGER,
  drain_reason TEXT NOT NULL,
  completed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  stats TEXT NOT NULL,
  UNIQUE (namespace, name)
);

CREATE TABLE sticky (
  queue INTEGER NOT NULL,
  key TEXT NOT NULL,
  worker INTEGER NOT NULL,
  PRIMARY KEY (queue, key)
) WITHOUT ROWID;
