"""Log lines, metrics and health checks for the people who run the site."""
