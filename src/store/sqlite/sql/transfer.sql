-- name: transfer_action_put
INSERT INTO actions (namespace, name, plan, created_at, jobs, settled_at, completed, failed, dead, cancelled)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
RETURNING id

-- name: transfer_actions
SELECT a.id, n.name, a.name, a.plan, a.created_at, a.jobs, a.settled_at, a.completed, a.failed, a.dead, a.cancelled
FROM actions a JOIN namespaces n ON n.id = a.namespace
WHERE a.id > ?1 ORDER BY a.id LIMIT ?2

-- name: transfer_attempts
SELECT a.attempt, a.fence, w.name, a.started_at, a.ended_at, a.outcome, a.error
FROM attempts a LEFT JOIN workers w ON w.id = a.worker
WHERE a.job = ?1 ORDER BY a.id

-- name: transfer_bonds
-- A bond whose worker is gone binds nobody.
SELECT s.queue, s.key, n.name, q.name, w.name
FROM sticky s
JOIN queues q ON q.id = s.queue
JOIN namespaces n ON n.id = q.namespace
JOIN workers w ON w.id = s.worker
WHERE (s.queue, s.key) > (?1, ?2) ORDER BY s.queue, s.key LIMIT ?3

-- name: transfer_clear
-- Every store begins with one, which the source has too.
DELETE FROM namespaces

-- name: transfer_counts
-- In the order of transfer::Kind, and as the statements of each kind find them.
SELECT (SELECT COUNT(*) FROM namespaces), (SELECT COUNT(*) FROM queues), (SELECT COUNT(*) FROM workers),
  (SELECT COUNT(*) FROM sticky s JOIN workers w ON w.id = s.worker), (SELECT COUNT(*) FROM jobs), (SELECT COUNT(*) FROM idempotency),
  (SELECT COUNT(*) FROM dependencies), (SELECT COUNT(*) FROM plans), (SELECT COUNT(*) FROM actions),
  (SELECT COUNT(*) FROM keys k JOIN namespaces n ON n.id = k.namespace), (SELECT COUNT(*) FROM key_items),
  (SELECT COUNT(*) FROM key_fields), (SELECT COUNT(*) FROM key_scores), (SELECT COUNT(*) FROM steps), (SELECT COUNT(*) FROM signals),
  (SELECT COUNT(*) FROM schedules), (SELECT COUNT(*) FROM agents), (SELECT COUNT(*) FROM agent_tools),
  (SELECT COUNT(*) FROM agent_sessions), (SELECT COUNT(*) FROM agent_runs), (SELECT COUNT(*) FROM agent_iterations),
  (SELECT COUNT(*) FROM agent_executions), (SELECT COUNT(*) FROM agent_messages), (SELECT COUNT(*) FROM agent_compactions),
  (SELECT COUNT(*) FROM agent_archive), (SELECT COUNT(*) FROM agent_spending), (SELECT COUNT(*) FROM agent_blobs)

-- name: transfer_dependencies
SELECT job, after FROM dependencies WHERE (job, after) > (?1, ?2) ORDER BY job, after LIMIT ?3

-- name: transfer_entries
SELECT k.id, n.name, k.space, k.name, k.type, k.expires_at, k.count, k.head, k.tail, k.value
FROM keys k JOIN namespaces n ON n.id = k.namespace
WHERE k.id > ?1 ORDER BY k.id LIMIT ?2

-- name: transfer_entry_put
INSERT INTO keys (id, namespace, space, name, type, expires_at, count, head, tail, value)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)

-- name: transfer_field_put
INSERT INTO key_fields (key, name, value) VALUES (?1, ?2, ?3)

-- name: transfer_fields
SELECT key, name, value FROM key_fields WHERE (key, name) > (?1, ?2) ORDER BY key, name LIMIT ?3

-- name: transfer_item_put
INSERT INTO key_items (key, position, value) VALUES (?1, ?2, ?3)

-- name: transfer_items
SELECT key, position, value FROM key_items WHERE (key, position) > (?1, ?2) ORDER BY key, position LIMIT ?3

-- name: transfer_job_put
INSERT INTO jobs (id, lane, state, flags, priority, rank, run_at, created_at, event, attempt, rescues, fence, worker, started_at,
  finished_at, expires_at, lease, cancel_reason, spec, payload, result, error)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)

-- name: transfer_jobs
-- The first columns are those of job_read.sql.
SELECT j.id, j.lane, j.state, j.flags, j.priority, j.run_at, j.created_at, j.event, j.attempt, j.rescues, j.fence, j.worker, j.started_at,
  j.finished_at, j.spec, j.payload, j.result, j.error, j.expires_at, j.rank, j.lease, j.cancel_reason, n.name, q.name, l.type, w.name, w.spec
FROM jobs j
LEFT JOIN lanes l ON l.id = j.lane
LEFT JOIN queues q ON q.id = l.queue
LEFT JOIN namespaces n ON n.id = q.namespace
LEFT JOIN workers w ON w.id = j.worker
WHERE j.id > ?1 ORDER BY j.id LIMIT ?2

-- name: transfer_keys
SELECT i.namespace, i.key, n.name, i.job
FROM idempotency i JOIN namespaces n ON n.id = i.namespace
WHERE (i.namespace, i.key) > (?1, ?2) ORDER BY i.namespace, i.key LIMIT ?3

-- name: transfer_namespaces
SELECT id, name, description, created_at, display_name, enabled, updated_at FROM namespaces WHERE id > ?1 ORDER BY id LIMIT ?2

-- name: transfer_oldest_live
-- Every job below is finished, and how many these are: where a start begins to look. ?1 when no job lives.
SELECT o.id, (SELECT COUNT(*) FROM jobs WHERE id < o.id)
FROM (SELECT COALESCE((SELECT MIN(id) FROM jobs WHERE state < {state.completed}), ?1) AS id) o

-- name: transfer_plan_put
INSERT INTO plans (namespace, name, text, description, tasks, needs, created_at, last_used_at, actions, jobs)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)

-- name: transfer_plans
SELECT p.id, n.name, p.name, p.text, p.description, p.tasks, p.needs, p.created_at, p.last_used_at, p.actions, p.jobs
FROM plans p JOIN namespaces n ON n.id = p.namespace
WHERE p.id > ?1 ORDER BY p.id LIMIT ?2

-- name: transfer_queues
SELECT q.id, n.name, q.name, q.settings
FROM queues q JOIN namespaces n ON n.id = q.namespace
WHERE q.id > ?1 ORDER BY q.id LIMIT ?2

-- name: transfer_schedules
-- The first columns are those of schedule_find.sql.
SELECT s.id, s.namespace, s.name, s.enabled, s.created_at, s.updated_at, s.next_fire_at, s.last_fired_at, s.caught_up_to, s.buffered, s.last_job,
  s.fired, s.skipped, s.revision, s.spec, s.payload, n.name
FROM schedules s JOIN namespaces n ON n.id = s.namespace
WHERE s.id > ?1 ORDER BY s.id LIMIT ?2

-- name: transfer_score_put
INSERT INTO key_scores (key, member, score) VALUES (?1, ?2, ?3)

-- name: transfer_scores
SELECT key, member, score FROM key_scores WHERE (key, member) > (?1, ?2) ORDER BY key, member LIMIT ?3

-- name: transfer_signals
SELECT job, place, name, encoding, data FROM signals WHERE (job, place) > (?1, ?2) ORDER BY job, place LIMIT ?3

-- name: transfer_steps
-- The first columns are those of step_newest.sql.
SELECT s.job, s.place, s.name, s.kind, s.state, s.attempt, s.encodings, s.begun_at, s.finished_at, s.until, s.worker, s.fence, s.child,
  s.signal, s.policy, s.error, s.input, s.output, n.name, w.name
FROM steps s
JOIN jobs j ON j.id = s.job
JOIN lanes l ON l.id = j.lane
JOIN queues q ON q.id = l.queue
JOIN namespaces n ON n.id = q.namespace
LEFT JOIN workers w ON w.id = s.worker
WHERE (s.job, s.place) > (?1, ?2) ORDER BY s.job, s.place LIMIT ?3

-- name: transfer_workers
SELECT w.id, n.name, w.name, w.session, w.state, w.spec, w.registered_at, w.last_seen_at, w.offline_at, w.offline_cause, w.drain_deadline,
  w.drain_reason, w.drain_origin, w.completed, w.failed, w.stats
FROM workers w JOIN namespaces n ON n.id = w.namespace
WHERE w.id > ?1 ORDER BY w.id LIMIT ?2
