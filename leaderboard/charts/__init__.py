"""Charts: specifications, their drawings and Plotly figures, and image files."""
