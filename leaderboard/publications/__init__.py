"""The papers' tables and figures by name; snapshots of boards and their offline verification."""
