"""A read-only API with the same rows as the pages, in JSON or CSV, with filters, paging and a schema."""
