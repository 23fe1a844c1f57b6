SELECT job, after FROM dependencies
