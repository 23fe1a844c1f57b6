-- Every job below is finished, and how many these are: where a start begins to look. ?1 when no job lives.
SELECT o.id, (SELECT COUNT(*) FROM jobs WHERE id < o.id)
FROM (SELECT COALESCE((SELECT MIN(id) FROM jobs WHERE state < 3), ?1) AS id) o
