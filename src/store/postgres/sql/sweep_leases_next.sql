SELECT min(lease_until) FROM {schema}.running WHERE own_ttl AND lease_until > {schema}.now_ms()
