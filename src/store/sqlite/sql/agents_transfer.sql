-- name: agent_archive_insert
INSERT INTO agent_archive (event, session, number, id, run, run_depth, role, blocks, input, output, cache_creation, cache_read, preserved, summary, metadata,
  created_at, compaction)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)

-- name: agent_archive_transfer
SELECT * FROM agent_archive WHERE row > ?1 ORDER BY row LIMIT ?2

-- name: agent_blob_transfer
SELECT row, id, session, data FROM agent_blobs WHERE row > ?1 ORDER BY row LIMIT ?2

-- name: agent_compaction_transfer
SELECT * FROM agent_compactions WHERE row > ?1 ORDER BY row LIMIT ?2

-- name: agent_execution_transfer
SELECT * FROM agent_executions_read WHERE row > ?1 ORDER BY row LIMIT ?2

-- name: agent_iteration_transfer
SELECT * FROM agent_iterations WHERE row > ?1 ORDER BY row LIMIT ?2

-- name: agent_message_transfer
SELECT * FROM agent_messages WHERE row > ?1 ORDER BY row LIMIT ?2

-- name: agent_run_transfer
SELECT * FROM agent_runs_read WHERE id > ?1 ORDER BY id LIMIT ?2

-- name: agent_session_transfer
SELECT * FROM agent_sessions_read WHERE row > ?1 ORDER BY row LIMIT ?2

-- name: agent_spending_transfer
SELECT s.namespace, n.name, s.scope, s.name, s.day, s.input, s.output, s.cache_creation, s.cache_read, s.microdollars
FROM agent_spending s CROSS JOIN namespaces n
WHERE n.id = s.namespace AND (s.namespace, s.scope, s.name, s.day) > (?1, ?2, ?3, ?4)
ORDER BY s.namespace, s.scope, s.name, s.day LIMIT ?5

-- name: agent_tool_transfer
SELECT * FROM agent_tools_read WHERE row > ?1 ORDER BY row LIMIT ?2

-- name: agent_transfer
SELECT * FROM agents_read WHERE row > ?1 ORDER BY row LIMIT ?2
