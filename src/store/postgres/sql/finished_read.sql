-- Held until the commit, so that retention does not take it away in between.
WITH buried AS (
  SELECT lane, state, priority, spec, fence FROM {schema}.dead WHERE id = $1::bigint FOR UPDATE
), past AS (
  SELECT lane, state, priority, spec, fence FROM {schema}.history WHERE id = $1::bigint FOR UPDATE
)
SELECT * FROM buried UNION ALL SELECT * FROM past
