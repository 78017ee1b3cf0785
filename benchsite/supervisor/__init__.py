"""`serve`: processes, the embedded database, the queue folder and migrations while serving."""
