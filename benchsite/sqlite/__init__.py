"""Django's SQLite backend, as strict about values as PostgreSQL's."""

SQLITE = "benchsite.sqlite"  # the engine's name in DATABASES
