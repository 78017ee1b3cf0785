"""File storage, access rules and serving."""
