UPDATE namespaces SET description = ?2, display_name = ?3, enabled = ?4, updated_at = ?5 WHERE id = ?1
