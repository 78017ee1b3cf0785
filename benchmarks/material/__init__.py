"""Material for annotation: files come in, are cut and listened to, are looked through, and become a pack of clips."""
