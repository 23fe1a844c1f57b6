-- Which day prune_drop_day.sql is about; a statement that defines things takes no parameters.
SELECT set_config('muster.day', $1::text, true)
