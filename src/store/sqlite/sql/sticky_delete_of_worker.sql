DELETE FROM sticky WHERE worker = ?1
