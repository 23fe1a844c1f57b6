SELECT to_regclass(format('{schema}.%I', $1::text)) IS NULL
