"""The documentation in docs/, served as pages under /docs/."""
