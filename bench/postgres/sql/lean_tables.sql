-- What the bare coalesced loop needs and nothing else: ready jobs with their payload, and leases that hold what was popped.
CREATE TABLE job (
  id bigserial PRIMARY KEY,
  queue integer NOT NULL,
  type integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  payload text NOT NULL
);
CREATE INDEX job_ready ON job (queue, type, id);
CREATE TABLE lease (
  id bigint PRIMARY KEY,
  lease_until timestamptz NOT NULL,
  worker integer NOT NULL,
  payload text NOT NULL
);
