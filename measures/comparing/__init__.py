"""Two answerers or many: differences, tests and ranks."""
