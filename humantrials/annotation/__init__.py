"""Making a data set in PACS' format with people: four stages on ordinary sheets and participants' pages."""
