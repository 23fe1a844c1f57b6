-- Everything a copy reads is of one instant, even when nodes work on it.
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY
