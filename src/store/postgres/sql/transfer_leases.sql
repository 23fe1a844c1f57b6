-- Leases begin anew with the store; those that were over stay over.
UPDATE {schema}.running SET lease_until = {schema}.now_ms() + CASE WHEN lapsed THEN 0 ELSE granted_ms END
