"""Backup and restore: the whole state of the site in one file that can fill a site on either database."""
