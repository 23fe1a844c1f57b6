-- name: begin
BEGIN IMMEDIATE

-- name: commit
COMMIT

-- name: meta_get
SELECT value FROM meta WHERE name = ?1

-- name: meta_put
INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)
