-- The lane's virtual time follows the jobs taken from it; nothing to do when nobody waits any more.
UPDATE {schema}.fair SET finish = greatest(finish, $2::bigint) WHERE lane = $1::integer AND key = ''::bytea
