-- A node that was heard within the last $1 milliseconds, and how long ago.
SELECT name, {schema}.now_ms() - seen_at FROM {schema}.nodes WHERE seen_at > {schema}.now_ms() - $1::bigint ORDER BY seen_at DESC LIMIT 1
