"""Everything that pages show, as JSON or CSV, read-only: the same rows, with filters, paging and a schema."""
