-- Only while it is where this copy left it: two at a time would both believe that the target is theirs.
INSERT INTO {schema}.meta AS m (name, value) VALUES ($1::text, $2::text)
ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE m.value = $3::text
RETURNING m.name
