SELECT id, queue, type, needs FROM lanes ORDER BY id
