"""A chart as shapes, as a Plotly figure and as files."""
