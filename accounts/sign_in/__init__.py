"""Who signs in, with what, and what that permits."""
