-- name: sticky_all
SELECT queue, key, worker FROM sticky

-- name: sticky_delete_of_worker
DELETE FROM sticky WHERE worker = ?1

-- name: sticky_put
INSERT OR REPLACE INTO sticky (queue, key, worker) VALUES (?1, ?2, ?3)

-- name: worker_all
SELECT id, namespace, name, session, state, spec, registered_at, last_seen_at, offline_at, offline_cause, drain_deadline, drain_reason,
  drain_origin, completed, failed, stats
FROM workers ORDER BY id

-- name: worker_delete
DELETE FROM workers WHERE id = ?1

-- name: worker_put
INSERT OR REPLACE INTO workers (id, namespace, name, session, state, spec, registered_at, last_seen_at, offline_at, offline_cause,
  drain_deadline, drain_reason, drain_origin, completed, failed, stats)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
