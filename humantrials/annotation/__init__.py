"""Making a data set in PACS' format with people: four stages on the sheets and the road of every trial."""
