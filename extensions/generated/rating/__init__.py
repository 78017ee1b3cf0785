"""People rate generated clips: sheets, pages, simulated raters and files of answers of such studies."""
