UPDATE plans SET text = ?2, description = ?3, tasks = ?4, needs = ?5 WHERE id = ?1
