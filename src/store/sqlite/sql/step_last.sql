SELECT COALESCE(MAX(place), 0) FROM steps WHERE job = ?1
