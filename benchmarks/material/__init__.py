"""Material for annotation: files are uploaded, cut, checked by sound, reviewed, and become a pack of clips."""
