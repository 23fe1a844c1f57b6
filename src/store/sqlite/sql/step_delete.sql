DELETE FROM steps WHERE job = ?1
