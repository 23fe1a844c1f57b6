DELETE FROM progress WHERE job = ?1
