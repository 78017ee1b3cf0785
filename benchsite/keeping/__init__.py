"""Backup and restore: the whole state of the site in one file that any database can be filled from."""
