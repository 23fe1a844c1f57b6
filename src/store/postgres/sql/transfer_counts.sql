-- In the order of transfer::Kind, and as the statements of each kind find them.
SELECT (SELECT count(*) FROM {schema}.namespaces), (SELECT count(*) FROM {schema}.queues), (SELECT count(*) FROM {schema}.workers),
       (SELECT count(*) FROM {schema}.sticky s JOIN {schema}.workers w ON w.id = s.worker),
       (SELECT count(*) FROM {schema}.waiting) + (SELECT count(*) FROM {schema}.running) + (SELECT count(*) FROM {schema}.dead)
         + (SELECT count(*) FROM {schema}.history),
       (SELECT count(*) FROM {schema}.idempotency), (SELECT count(*) FROM {schema}.dependencies),
       (SELECT count(*) FROM {schema}.plans), (SELECT count(*) FROM {schema}.actions), (SELECT count(*) FROM {schema}.keys),
       (SELECT count(*) FROM {schema}.key_items), (SELECT count(*) FROM {schema}.key_fields), (SELECT count(*) FROM {schema}.key_scores),
       (SELECT count(*) FROM {schema}.steps), (SELECT count(*) FROM {schema}.signals), (SELECT count(*) FROM {schema}.schedules)
