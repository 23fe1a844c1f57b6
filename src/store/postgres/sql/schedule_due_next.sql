SELECT min(due_at) FROM {schema}.schedules WHERE due_at > {schema}.now_ms()
