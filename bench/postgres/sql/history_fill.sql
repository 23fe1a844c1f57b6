-- Finished jobs, spread evenly over the last two weeks. Their ids are below those that the store will give.
INSERT INTO {schema}.history (id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, state, flags,
                              priority, event, payload)
SELECT -n, at, at - 50, at - 50, n, at - 10, 1 + n % 32, 1 + n % 8, 1, 0, 3, 0, 0, 0, convert_to(repeat('p', 128), 'UTF8')
FROM (SELECT n, {schema}.now_ms() - n * 1209600000 / {rows} AS at FROM generate_series(1::bigint, {rows}) n) job
