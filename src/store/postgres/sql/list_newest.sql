-- One stretch of a listing, newest first: ids below $1 and not below $2. Columns as row.h says, then the bytes of contents up to here.
-- What the text of error and spec is asked for is necessary, not sufficient: the caller looks at the parsed values again.
-- Contents end where their sum passes $14, so that a page of large ones fits.
SELECT j.id, j.lane, j.state, j.flags, j.priority, j.run_at, j.created_at, j.attempt, j.rescues, j.fence, w.name, j.started_at,
       j.finished_at, j.expires_at,
       CASE WHEN j.lapsed THEN j.lease_until ELSE greatest(j.lease_until, coalesce(b.seen_at, $5::bigint) + j.granted_ms) END,
       j.spec, CASE WHEN $13::boolean AND j.bytes <= $14::bigint THEN j.payload END,
       CASE WHEN $13::boolean AND j.bytes <= $14::bigint THEN j.result END, j.error, j.event, j.bytes
FROM (
  SELECT page.*, CASE WHEN $13::boolean THEN
           sum(octet_length(page.payload) + coalesce(octet_length(page.result), 0)) OVER (ORDER BY page.id DESC) ELSE 0 END AS bytes
  FROM (
    SELECT * FROM {schema}.jobs j
    WHERE j.id < $1::bigint AND j.id >= $2::bigint
      AND ($3::integer >> j.source) & 1 = 1
      AND ($4::integer = 0
           OR ($4::integer >> (CASE WHEN j.state = 0 AND j.run_at <= $5::bigint THEN 1 ELSE j.state END)) & 1 = 1)
      AND ($6::integer[] IS NULL OR j.lane IN (SELECT unnest($6::integer[])))
      AND ($7::integer[] IS NULL OR j.worker IN (SELECT unnest($7::integer[])))
      AND ($8::bigint IS NULL OR j.created_at > $8::bigint)
      AND ($9::bigint IS NULL OR j.created_at < $9::bigint)
      AND ($10::text IS NULL OR starts_with(j.error, $10::text))
      AND ($11::text IS NULL OR strpos(j.spec, $11::text) > 0)
      AND ($15::integer = 0 OR j.flags & $15::integer <> 0)
    ORDER BY j.id DESC
    LIMIT $12::bigint
  ) AS page
) AS j
LEFT JOIN {schema}.workers w ON w.id = j.worker
LEFT JOIN {schema}.beats b ON b.worker = j.worker
ORDER BY j.id DESC
