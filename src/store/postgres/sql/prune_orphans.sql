-- Leases of workers that are offline. A claim and the worker's end exclude each other by its beat; only while a crash of the database has
-- emptied the beats can a lease slip through. It ends by its own time then, and no beat counts for it.
UPDATE {schema}.running r SET lapsed = true, own_ttl = true
FROM {schema}.workers w
WHERE w.id = r.worker AND w.state = 2 AND NOT r.lapsed
