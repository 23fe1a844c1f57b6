SELECT count(*), coalesce(max(id), 0) FROM lanes
