-- Is there such a plan, and such an action?
SELECT EXISTS (SELECT 1 FROM {schema}.plans WHERE namespace = $1::integer AND name = $2::text),
       EXISTS (SELECT 1 FROM {schema}.actions WHERE namespace = $1::integer AND name = $3::text)
