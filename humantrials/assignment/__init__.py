"""Who holds which sheet and which answers count: leases, claims, exits and repair."""
