"""What one answer is worth."""
