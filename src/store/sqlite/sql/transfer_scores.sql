SELECT key, member, score FROM key_scores WHERE (key, member) > (?1, ?2) ORDER BY key, member LIMIT ?3
