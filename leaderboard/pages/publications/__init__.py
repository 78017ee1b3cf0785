"""Pages of what is printed and frozen: tables, figures, snapshots, archives."""
