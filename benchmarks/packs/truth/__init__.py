"""What generated clips are known to show: bodies, violations, explanations."""
