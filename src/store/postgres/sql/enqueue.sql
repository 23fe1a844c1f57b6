-- Many jobs at once. A NULL id, place or rank is worked out here: the next key, ready or scheduled by the due time, and the due time moved by
-- the priority (model/rank.h). A lane that is gone, or of a namespace that is not enabled, is a NULL where none
-- may be: the whole statement is refused, and the caller learns the lanes anew.
WITH asked AS (
  SELECT u.*, l.id AS lane_now, t.now, greatest(coalesce(u.run_at, t.now + u.delay), t.now) AS due
  FROM unnest($1::bigint[], $2::integer[], $3::smallint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
              $9::smallint[], $10::boolean[], $11::smallint[], $12::bigint[], $13::text[], $14::bytea[], $15::bigint[])
       WITH ORDINALITY AS u (id, lane, priority, run_at, delay, expires_in, lease_ms, timeout_ms, flags, special, place, rank, spec, payload,
                             deadline, ord)
  LEFT JOIN {schema}.lanes l ON l.id = u.lane
    AND l.queue <> ALL(ARRAY(SELECT q.id FROM {schema}.namespaces n JOIN {schema}.queues q ON q.namespace = n.id WHERE NOT n.enabled))
  CROSS JOIN (SELECT {schema}.now_ms() AS now) AS t
  ORDER BY u.ord
), fresh AS MATERIALIZED (
  SELECT coalesce(a.id, nextval('{schema}.job_keys')) AS id, a.ord, a.lane_now AS lane, a.priority, a.due, a.now, a.expires_in, a.deadline, a.lease_ms,
         a.timeout_ms, a.flags, a.special, coalesce(a.place, CASE WHEN a.due <= a.now THEN 1 ELSE 0 END::smallint) AS place,
         coalesce(a.rank, a.due * 1000 - a.priority * 60000000::bigint) AS rank, a.spec, a.payload
  FROM asked a
), put AS (
  INSERT INTO {schema}.waiting (id, rank, created_at, run_at, lane, stand, attempt, rescues, place, flags, priority, event, special,
                                lease_ms, timeout_ms, expires_at, spec, payload)
  SELECT id, rank, now, CASE WHEN place = 3 THEN NULL ELSE due END, lane, lane, 0, 0, place, flags, priority, 0, special, lease_ms,
         timeout_ms, least(now + expires_in, deadline), spec, payload
  FROM fresh
)
SELECT ord, id, place, due, now FROM fresh
