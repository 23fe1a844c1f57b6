SELECT q.namespace, n.name, q.name, l.type, l.needs FROM lanes l JOIN queues q ON q.id = l.queue JOIN namespaces n ON n.id = q.namespace WHERE l.id = ?1
