"""What each benchmark is, as data, with the importer of its release."""
