"""What is fixed before a study opens: texts, size, preregistration, a second round."""
