"""The studies that the site offers."""
