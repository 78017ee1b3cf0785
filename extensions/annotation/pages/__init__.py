"""Annotation tasks as participants see them: qualification, pages and submission."""
