"""`serve`: processes, the embedded database and the queue folder."""
