-- Does any job, finished ones included, belong to the namespace?
SELECT EXISTS (
  SELECT 1 FROM jobs
  WHERE lane IN (SELECT lanes.id FROM lanes JOIN queues ON queues.id = lanes.queue WHERE queues.namespace = ?1)
)
