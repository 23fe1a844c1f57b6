SELECT queue, key, worker FROM sticky
