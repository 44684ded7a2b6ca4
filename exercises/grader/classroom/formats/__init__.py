"""Records written down for others to read. Each format is a function from records to texts; no files."""
