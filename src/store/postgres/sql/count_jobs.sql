-- How many jobs are where. Bits: which sources (view jobs) and which states are wanted; 0: any state. $4: flags that must be there; 0: none.
SELECT j.lane, (CASE WHEN j.state = 0 AND j.run_at <= {schema}.now_ms() THEN 1 ELSE j.state END)::smallint AS state, count(*)
FROM {schema}.jobs j
WHERE ($1::integer >> j.source) & 1 = 1
  AND ($2::integer = 0 OR ($2::integer >> (CASE WHEN j.state = 0 AND j.run_at <= {schema}.now_ms() THEN 1 ELSE j.state END)) & 1 = 1)
  AND ($3::integer[] IS NULL OR j.lane IN (SELECT unnest($3::integer[])))
  AND ($4::integer = 0 OR j.flags & $4::integer <> 0)
GROUP BY 1, 2
