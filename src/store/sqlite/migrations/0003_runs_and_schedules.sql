-- Runs, their steps and signals, schedules, and more facts about namespaces.
ALTER TABLE namespaces ADD COLUMN display_name TEXT NOT NULL DEFAULT '';
ALTER TABLE namespaces ADD COLUMN enabled INTEGER NOT NULL DEFAULT 1;
ALTER TABLE namespaces ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
UPDATE namespaces SET updated_at = created_at;

-- One attempt at one step of a run. place: 1 to n within the run and never given back, so the last one is the count. kind: 0 function,
-- 1 sleep, 2 child, 3 signal. state: 0 running, 1 waiting, 2 completed, 3 failed. encodings: bit 0 input, bit 1 output; set: bytes.
CREATE TABLE steps (
  job INTEGER NOT NULL,
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3),
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 3),
  attempt INTEGER NOT NULL,
  encodings INTEGER NOT NULL,
  begun_at INTEGER NOT NULL,
  finished_at INTEGER,
  until INTEGER,
  worker INTEGER,
  fence INTEGER NOT NULL,
  child INTEGER,
  signal TEXT,
  policy TEXT,
  error TEXT,
  input BLOB,
  output BLOB,
  PRIMARY KEY (job, place)
) WITHOUT ROWID;
CREATE INDEX steps_by_name ON steps (job, name, place);
CREATE INDEX steps_waiting ON steps (job, place) WHERE state = 1;

-- Signals nobody has taken yet; those of a run are taken in the order of place.
CREATE TABLE signals (
  job INTEGER NOT NULL,
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  encoding INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (job, place)
) WITHOUT ROWID;

-- due_at: the next fire of one that is enabled. queue, type and enabled repeat what spec says, for lists.
CREATE TABLE schedules (
  id INTEGER PRIMARY KEY,
  namespace INTEGER NOT NULL REFERENCES namespaces (id),
  name TEXT NOT NULL,
  queue TEXT NOT NULL,
  type TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  due_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  next_fire_at INTEGER,
  last_fired_at INTEGER,
  caught_up_to INTEGER,
  buffered INTEGER,
  last_job INTEGER,
  fired INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  spec TEXT NOT NULL,
  payload BLOB NOT NULL,
  UNIQUE (namespace, name)
);
CREATE INDEX schedules_due ON schedules (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX schedules_buffered ON schedules (buffered) WHERE buffered IS NOT NULL;

-- The engine's own errors are more by now; see 0002 for what the view says.
DROP VIEW job_outcomes;
CREATE VIEW job_outcomes AS
SELECT id, finished_at, CASE state
    WHEN 0 THEN 0
    WHEN 1 THEN 0
    WHEN 2 THEN 1
    WHEN 3 THEN 2
    WHEN 4 THEN CASE WHEN json_extract(error, '$.kind') IN
      ('timeout', 'worker_lost', 'rescue_failed', 'expired', 'dependency_failed', 'cancelled', 'deadline', 'terminated') THEN 4 ELSE 3 END
    ELSE 5
  END AS outcome
FROM jobs;
