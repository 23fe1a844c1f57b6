SELECT flags, spec, payload FROM jobs WHERE id = ?1
