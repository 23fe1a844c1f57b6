UPDATE plans SET last_used_at = ?2, actions = actions + 1, jobs = jobs + ?3 WHERE id = ?1
