-- part: claim_seats
WITH asked AS MATERIALIZED (
  SELECT a.ord, a.worker, a.want, coalesce(a.lease_ms, -1) AS lease_ms, w.session, w.state, w.dead_after_ms, w.revision = a.revision AS fresh,
         w.slots - (SELECT count(*) FROM {schema}.running r WHERE r.worker = a.worker) AS free
  FROM unnest($1::integer[], $2::bigint[], $3::integer[], $4::bigint[]) WITH ORDINALITY AS a (worker, revision, want, lease_ms, ord)
  JOIN {schema}.workers w ON w.id = a.worker
), seats AS MATERIALIZED (
  SELECT coalesce(max(s.upto), 0) AS n, array_agg(s.upto - s.seats) AS starts, array_agg(s.worker) AS workers, array_agg(s.lease_ms) AS leases,
         array_agg(s.dead_after_ms) AS patience
  FROM (
    SELECT c.*, sum(c.seats) OVER (ORDER BY c.ord ROWS UNBOUNDED PRECEDING)::bigint AS upto
    FROM (SELECT ord, worker, lease_ms, dead_after_ms, least(want, free) AS seats FROM asked
          WHERE fresh AND state = {worker.online} AND free > 0) AS c) AS s

-- part: open_lanes
SELECT l.id FROM {schema}.lanes l JOIN {schema}.queues q ON q.id = l.queue WHERE l.id = ANY($5::integer[]) AND NOT q.gated AND NOT l.special

-- part: claim_pop
), popped AS (
  DELETE FROM {schema}.waiting w WHERE w.ctid = ANY(ARRAY(
    SELECT s.at FROM (
      SELECT p.at, sum(p.size) OVER (ROWS UNBOUNDED PRECEDING) - p.size AS before FROM (

-- part: claim_give
      ) AS p) AS s
    WHERE s.before < $6::bigint))
  RETURNING w.*
), given AS (
  INSERT INTO {schema}.running (id, rank, created_at, run_at, fence, started_at, lease_until, granted_ms, lane, worker, attempt, rescues,
                                flags, priority, special, own_ttl, lease_ms, timeout_ms, times_out_at, expires_at, spec, payload, error,
                                attempts, progress, partial)
  SELECT g.id, g.rank, g.created_at, g.run_at, nextval('{schema}.fences'), g.now, g.now + g.ttl, g.ttl, g.lane, g.worker, g.attempt + 1,
         g.rescues, g.flags, g.priority, g.special, g.ttl <> g.patience, g.lease_ms, g.timeout_ms, g.now + g.timeout_ms, g.expires_at, g.spec,
         g.payload, g.error, g.attempts, g.progress, g.partial
  FROM (
    SELECT p.*, t.now, s.workers[p.owner] AS worker, s.patience[p.owner] AS patience,
           coalesce(nullif(s.leases[p.owner], -1), p.lease_ms, s.patience[p.owner]) AS ttl
    FROM seats s
    CROSS JOIN (SELECT {schema}.now_ms() AS now) AS t
    CROSS JOIN LATERAL (
      SELECT q.*, width_bucket(q.seat - 1, s.starts) AS owner
      FROM (SELECT id, rank, created_at, run_at, lane, attempt, rescues, flags, priority, special, lease_ms, timeout_ms, expires_at, spec,
                   payload, error, attempts, progress, partial, row_number() OVER (ORDER BY rank, id) AS seat
            FROM popped) AS q) AS p) AS g
  RETURNING id, lane, worker, attempt, priority, fence, lease_until, times_out_at, flags, spec, payload, progress, partial
)
SELECT ord, session, state, fresh, free, NULL::integer AS worker, NULL::bigint AS id,

-- part: claim_answer
       NULL::integer, NULL::smallint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::smallint, NULL::text, NULL::bytea, NULL::text, NULL::bytea
FROM asked WHERE (SELECT count(*) FROM given) < (SELECT sum(want) FROM asked)
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, worker, id, lane, attempt, priority, fence, lease_until, times_out_at, flags, spec, payload, progress,
       partial
FROM given

-- name: claim
-- Claims of several workers that may serve the same plain lanes: the best jobs by (rank, arrival) go to their free slots in the order of the
-- claims. Never more rows than slots: each deleted row has a seat, and `starts` of `seats` says whose it is. When somebody gets less than he
-- asked for, one row for each worker comes back (ord, session, state, fresh, free slots, whole: everything was looked at); then one for each
-- job given (worker and the grant). Rows are deleted where they stand: one that was changed between the look and its lock stays for the next
-- claim.
{part.claim_seats}
), open_lanes AS MATERIALIZED (
  {part.open_lanes}
), reach AS MATERIALIZED (
  -- Of one lane all that could be wanted; of many somewhat more than their share, since looking at all of all would be most of the work.
  SELECT s.n, CASE WHEN o.n <= 1 THEN s.n ELSE least(s.n, 2 * s.n / o.n + 4) END AS m FROM seats s, (SELECT count(*) AS n FROM open_lanes) AS o
), near AS MATERIALIZED (
  SELECT c.stand, c.rank, c.id
  FROM open_lanes o CROSS JOIN LATERAL (
    SELECT w.stand, w.rank, w.id FROM {schema}.waiting w WHERE w.stand = o.id AND w.place = {place.ready}
    ORDER BY w.rank, w.id LIMIT (SELECT m FROM reach)) AS c
), edge AS MATERIALIZED (
  SELECT count(*) AS n, max(b.rank) AS rank FROM (SELECT rank FROM near ORDER BY rank, id LIMIT (SELECT n FROM reach)) AS b
), deep AS MATERIALIZED (
  -- Lanes that may have more among the best than was looked at.
  SELECT near.stand FROM near GROUP BY near.stand
  HAVING count(*) = (SELECT m FROM reach) AND (SELECT m < n FROM reach)
     AND (max(near.rank) <= (SELECT rank FROM edge) OR (SELECT n FROM edge) < (SELECT n FROM reach))
), heads AS MATERIALIZED (
  SELECT h.stand, count(*) AS n
  FROM (
    SELECT c.stand
    FROM (
      SELECT stand, rank, id FROM near WHERE NOT stand = ANY(ARRAY(SELECT stand FROM deep))
      UNION ALL
      SELECT f.stand, f.rank, f.id
      FROM deep CROSS JOIN LATERAL (
        SELECT w.stand, w.rank, w.id FROM {schema}.waiting w WHERE w.stand = deep.stand AND w.place = {place.ready}
        ORDER BY w.rank, w.id LIMIT (SELECT n FROM reach)) AS f) AS c
    ORDER BY c.rank, c.id LIMIT (SELECT n FROM reach)) AS h
  GROUP BY h.stand
{part.claim_pop}
        SELECT h.at, h.size
        FROM heads CROSS JOIN LATERAL (
          SELECT w.ctid AS at, w.rank, w.id, octet_length(w.payload) AS size FROM {schema}.waiting w
          WHERE w.stand = heads.stand AND w.place = {place.ready}
          ORDER BY w.rank, w.id LIMIT heads.n FOR UPDATE SKIP LOCKED) AS h
        ORDER BY h.rank, h.id
{part.claim_give}
       1::integer,
{part.claim_answer}

-- name: claim_across
-- As claim, for workers that may serve many lanes: along the order of all ready jobs instead of lane by lane. What lies too far behind jobs of
-- other lanes is not found this way; `whole` says whether everything was looked at.
{part.claim_seats}
), bound AS MATERIALIZED (
  -- No further than this, however many jobs of other lanes are in the way.
  SELECT w.rank, w.id FROM {schema}.waiting w WHERE w.place = {place.ready} AND w.stand > 0
  ORDER BY w.rank, w.id OFFSET (SELECT 8 * n + 256 FROM seats) LIMIT 1
{part.claim_pop}
        SELECT w.ctid AS at, octet_length(w.payload) AS size
        FROM {schema}.waiting w
        WHERE w.place = {place.ready} AND w.stand > 0
          -- The sum keeps the planner from going lane by lane and sorting, which is what this statement is there to avoid.
          AND w.stand + 0 = ANY(ARRAY({part.open_lanes}))
          AND (w.rank, w.id) <= (coalesce((SELECT rank FROM bound), 9223372036854775807), coalesce((SELECT id FROM bound), 9223372036854775807))
        ORDER BY w.rank, w.id LIMIT (SELECT n FROM seats) FOR UPDATE SKIP LOCKED
{part.claim_give}
       (NOT EXISTS (SELECT 1 FROM bound))::integer,
{part.claim_answer}

-- name: claim_all
-- As claim, for workers that may serve every lane the directory has at version $5. After any change of it nothing is given, and not everything
-- was looked at.
{part.claim_seats}
), known AS MATERIALIZED (
  SELECT value::bigint = $5::bigint AS still FROM {schema}.meta WHERE name = 'directory_version'
{part.claim_pop}
        SELECT w.ctid AS at, octet_length(w.payload) AS size
        FROM {schema}.waiting w
        WHERE w.place = {place.ready} AND w.stand > 0 AND (SELECT still FROM known)
        ORDER BY w.rank, w.id LIMIT (SELECT n FROM seats) FOR UPDATE SKIP LOCKED
{part.claim_give}
       (SELECT still FROM known)::integer,
{part.claim_answer}

-- name: claim_lane
-- As claim, for workers that may serve one lane.
{part.claim_seats}
{part.claim_pop}
        SELECT w.ctid AS at, octet_length(w.payload) AS size
        FROM {schema}.waiting w
        WHERE w.stand = ({part.open_lanes}) AND w.place = {place.ready}
        ORDER BY w.rank, w.id LIMIT (SELECT n FROM seats) FOR UPDATE SKIP LOCKED
{part.claim_give}
       1::integer,
{part.claim_answer}

-- name: claim_counts
-- What runs under caps, by lane.
SELECT lane, count(*) FROM {schema}.running WHERE counted AND lane = ANY($1::integer[]) GROUP BY lane

-- name: claim_few
-- As claim, for workers that may serve a few lanes: of each as much as could be wanted is looked at.
{part.claim_seats}
), near AS MATERIALIZED (
  SELECT c.stand, c.rank, c.id
  FROM ({part.open_lanes}) AS o CROSS JOIN LATERAL (
    SELECT w.stand, w.rank, w.id FROM {schema}.waiting w WHERE w.stand = o.id AND w.place = {place.ready}
    ORDER BY w.rank, w.id LIMIT (SELECT n FROM seats)) AS c
{part.claim_pop}
        SELECT h.at, h.size
        FROM (SELECT b.stand, count(*) AS n FROM (SELECT stand FROM near ORDER BY rank, id LIMIT (SELECT n FROM seats)) AS b
              GROUP BY b.stand) AS heads
        CROSS JOIN LATERAL (
          SELECT w.ctid AS at, w.rank, w.id, octet_length(w.payload) AS size FROM {schema}.waiting w
          WHERE w.stand = heads.stand AND w.place = {place.ready}
          ORDER BY w.rank, w.id LIMIT heads.n FOR UPDATE SKIP LOCKED) AS h
        ORDER BY h.rank, h.id
{part.claim_give}
       1::integer,
{part.claim_answer}

-- name: claim_heads
-- The first few of each lane, locked. Those that are not taken are free again at the commit.
SELECT c.id, c.rank, c.lane, c.stand, c.size
FROM unnest($1::integer[]) AS l (id) CROSS JOIN LATERAL (
  SELECT w.id, w.rank, w.lane, w.stand, octet_length(w.payload) AS size FROM {schema}.waiting w WHERE w.stand = l.id AND w.place = {place.ready}
  ORDER BY w.rank, w.id LIMIT $2::integer FOR UPDATE SKIP LOCKED) AS c
ORDER BY c.rank, c.id

-- name: claim_lock
-- Two claims of one worker, on whatever nodes, come one after the other: its free slots are counted in between.
SELECT worker FROM {schema}.beats WHERE worker = ANY($1::integer[]) ORDER BY worker FOR NO KEY UPDATE

-- name: claim_probe
-- Whether anything waits in these lanes.
SELECT EXISTS (SELECT 1 FROM unnest($1::integer[]) AS l (id) CROSS JOIN LATERAL (
  SELECT 1 FROM {schema}.waiting w WHERE w.stand = l.id AND w.place = {place.ready} LIMIT 1) AS head)

-- name: claim_take
-- Jobs that were looked at one by one go to their worker.
WITH popped AS (
  DELETE FROM {schema}.waiting w WHERE w.id = ANY($1::bigint[]) RETURNING w.*
)
INSERT INTO {schema}.running (id, rank, created_at, run_at, fence, started_at, lease_until, granted_ms, lane, worker, attempt, rescues,
                              flags, priority, special, own_ttl, counted, lease_ms, timeout_ms, times_out_at, expires_at, spec, payload,
                              error, attempts, progress, partial)
SELECT p.id, p.rank, p.created_at, p.run_at, nextval('{schema}.fences'), t.now, t.now + p.ttl, p.ttl, p.lane, $2::integer, p.attempt + 1,
       p.rescues, p.flags, p.priority, p.special, p.ttl <> $4::bigint, p.lane = ANY($5::integer[]), p.lease_ms, p.timeout_ms,
       t.now + p.timeout_ms, p.expires_at, p.spec, p.payload, p.error, p.attempts, p.progress, p.partial
FROM (SELECT *, coalesce($3::bigint, lease_ms, $4::bigint) AS ttl FROM popped ORDER BY rank, id) AS p
CROSS JOIN (SELECT {schema}.now_ms() AS now) AS t
RETURNING id, lane, attempt, priority, fence, lease_until, times_out_at, flags, spec, payload, progress, partial

-- name: claim_worker
SELECT w.session, w.state, w.revision, w.slots, w.dead_after_ms,
       (SELECT count(*) FROM {schema}.running r WHERE r.worker = w.id)
FROM {schema}.workers w WHERE w.id = $1::integer

-- name: fair_advance
-- The lane's virtual time follows the jobs taken from it; nothing to do when nobody waits any more.
UPDATE {schema}.fair SET finish = greatest(finish, $2::bigint) WHERE lane = $1::integer AND key = ''::bytea

-- name: fair_done
-- The turns of these jobs are over.
UPDATE {schema}.wishes SET fair_lane = NULL WHERE job = ANY($1::bigint[])

-- name: fair_forget
-- Nobody waits for a turn any more: the virtual time starts over, or a silent key would be owed all of it.
DELETE FROM {schema}.fair f WHERE f.lane = ANY($1::integer[])
  AND NOT EXISTS (SELECT 1 FROM {schema}.wishes w WHERE w.fair_lane = f.lane)

-- name: fair_put
INSERT INTO {schema}.fair (lane, key, finish) VALUES ($1::integer, $2::bytea, $3::bigint)
ON CONFLICT (lane, key) DO UPDATE SET finish = greatest({schema}.fair.finish, excluded.finish)

-- name: fair_read
SELECT key, finish FROM {schema}.fair WHERE lane = $1::integer AND key IN ($2::bytea, ''::bytea)

-- name: wishes_delete
DELETE FROM {schema}.wishes WHERE job = ANY($1::bigint[])

-- name: wishes_pending
UPDATE {schema}.wishes SET pending = $2::integer WHERE job = $1::bigint

-- name: wishes_put
INSERT INTO {schema}.wishes (job, namespace, concurrency_key, concurrency_limit, sticky_key, prefer, prefer_until, fair_lane, fair_start,
                             unique_key, unique_waiting, not_before, pending, run_on_failure)
VALUES ($1::bigint, $2::integer, $3::bytea, $4::integer, $5::bytea, $6::text, $7::bigint, nullif($8::integer, 0), $9::bigint, $10::bytea,
        $11::boolean, $12::bigint, $13::integer, $14::boolean)

-- name: wishes_read
SELECT job, namespace, concurrency_key, concurrency_limit, sticky_key, prefer, prefer_until, fair_lane, fair_start, unique_key,
       unique_waiting, not_before, pending, run_on_failure
FROM {schema}.wishes WHERE job = ANY($1::bigint[])
