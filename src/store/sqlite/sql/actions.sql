-- name: action_count
SELECT COUNT(*) FROM actions WHERE namespace = ?1 AND (?2 IS NULL OR plan = ?2)

-- name: action_delete
DELETE FROM actions WHERE id = ?1

-- name: action_delete_of_namespace
DELETE FROM actions WHERE namespace = ?1

-- name: action_ended
SELECT id FROM actions WHERE settled_at <= ?1 ORDER BY settled_at LIMIT ?2

-- name: action_find
SELECT id, name, plan, created_at, jobs, settled_at, completed, failed, dead, cancelled FROM actions WHERE namespace = ?1 AND name = ?2

-- name: action_forget_job
-- A finished job of an open action goes: from now on it counts here. Counts that are final hold it already.
UPDATE actions SET completed = completed + (o.outcome = {outcome.completed}), failed = failed + (o.outcome = {outcome.failed}), dead = dead + (o.outcome = {outcome.dead}),
  cancelled = cancelled + (o.outcome = {outcome.cancelled})
FROM (SELECT outcome FROM job_outcomes WHERE id = ?2) o
WHERE id = ?1 AND settled_at IS NULL

-- name: action_insert
INSERT INTO actions (namespace, name, plan, created_at, jobs) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id

-- name: action_jobs
SELECT first_job, jobs FROM action_jobs WHERE action = ?1 ORDER BY place

-- name: action_jobs_delete
DELETE FROM action_jobs WHERE action = ?1

-- name: action_jobs_delete_of_namespace
DELETE FROM action_jobs WHERE action IN (SELECT id FROM actions WHERE namespace = ?1)

-- name: action_jobs_insert
INSERT INTO action_jobs (first_job, action, place, jobs) VALUES (?1, ?2, ?3, ?4)

-- name: action_list_newest
-- By the primary key, which is the order of arrival: an index on the namespace would have to be sorted first.
SELECT id, name, plan, created_at, jobs, settled_at, completed, failed, dead, cancelled
FROM actions WHERE +namespace = ?1 AND (?2 IS NULL OR +plan = ?2) ORDER BY id DESC LIMIT ?3 OFFSET ?4

-- name: action_list_oldest
-- By the primary key, which is the order of arrival: an index on the namespace would have to be sorted first.
SELECT id, name, plan, created_at, jobs, settled_at, completed, failed, dead, cancelled
FROM actions WHERE +namespace = ?1 AND (?2 IS NULL OR +plan = ?2) ORDER BY id LIMIT ?3 OFFSET ?4

-- name: action_of_job
SELECT action, first_job + jobs FROM action_jobs WHERE first_job <= ?1 ORDER BY first_job DESC LIMIT 1

-- name: action_open
SELECT id FROM actions WHERE settled_at IS NULL AND id > ?1 ORDER BY id LIMIT ?2

-- name: action_open_of_plan
SELECT id, name FROM actions WHERE namespace = ?1 AND plan = ?2 AND settled_at IS NULL

-- name: action_outcomes
-- Where each of an action's jobs is, of those that are still there, and when it finished. Counted by the caller: grouping would sort them.
SELECT o.outcome, o.finished_at
FROM action_jobs a CROSS JOIN job_outcomes o ON o.id >= a.first_job AND o.id < a.first_job + a.jobs
WHERE a.action = ?1

-- name: action_read
SELECT id, name, plan, created_at, jobs, settled_at, completed, failed, dead, cancelled FROM actions WHERE id = ?1

-- name: action_settle
-- ?2 NULL: it is open again.
UPDATE actions SET settled_at = ?2, completed = ?3, failed = ?4, dead = ?5, cancelled = ?6 WHERE id = ?1
