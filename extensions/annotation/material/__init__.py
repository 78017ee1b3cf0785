"""Material for annotation: files are uploaded, cut, checked by sound and reviewed, and become a pack of clips."""
