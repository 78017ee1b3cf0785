"""Backup and restore: the whole state of the site in one file that can fill any supported database."""
