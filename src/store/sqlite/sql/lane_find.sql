SELECT id FROM lanes WHERE queue = ?1 AND type = ?2 AND needs = ?3
