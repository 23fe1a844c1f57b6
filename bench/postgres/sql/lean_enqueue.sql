-- $1 queue, $2 type, $3 payloads.
INSERT INTO job (queue, type, payload) SELECT $1::integer, $2::integer, payload FROM unnest($3::text[]) payload
