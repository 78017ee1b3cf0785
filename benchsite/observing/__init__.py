"""What the site tells those who run it: log lines, metrics, health."""
