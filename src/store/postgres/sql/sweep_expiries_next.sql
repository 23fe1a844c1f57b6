SELECT least((SELECT min(expires_at) FROM {schema}.waiting WHERE expires_at IS NOT NULL),
             (SELECT min(expires_at) FROM {schema}.running WHERE flags & 512 <> 0 AND expires_at IS NOT NULL))
