-- What was acknowledged may be in redo files beside the database (redo/redo_file.h). A program that does not know them must not open it.
INSERT OR IGNORE INTO meta (name, value) VALUES ('redo_done', 0);
