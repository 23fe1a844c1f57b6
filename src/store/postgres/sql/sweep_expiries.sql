-- Jobs that waited too long, and running ones whose deadline may have come.
SELECT d.id FROM (
  (SELECT id, expires_at FROM {schema}.waiting WHERE expires_at IS NOT NULL AND expires_at <= {schema}.now_ms()
   ORDER BY expires_at LIMIT 2001)
  UNION ALL
  (SELECT id, expires_at FROM {schema}.running WHERE flags & 512 <> 0 AND expires_at <= {schema}.now_ms()
   ORDER BY expires_at LIMIT 2001)) AS d
ORDER BY d.expires_at
LIMIT $1::bigint
