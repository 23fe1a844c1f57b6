-- Every store begins with one, which the source has too.
DELETE FROM namespaces
