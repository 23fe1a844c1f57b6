SELECT fraction, message, partial, partial_encoding, at FROM progress WHERE job = ?1
