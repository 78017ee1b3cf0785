VERSION = "1.0.0"  # of the site and the wheel; exported files and backups name it
