"""Results become sentences, tables of text, JSON, Vega-Lite charts and one self-contained HTML page."""
