"""Number formats of languages other than English."""
