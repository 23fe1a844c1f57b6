SELECT cancel_reason FROM jobs WHERE id = ?1
