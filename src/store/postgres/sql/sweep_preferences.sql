SELECT d.job FROM (
  SELECT job FROM {schema}.wishes WHERE prefer IS NOT NULL AND prefer_until <= {schema}.now_ms() ORDER BY prefer_until LIMIT 2001) AS d
LIMIT $1::bigint
