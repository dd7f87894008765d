"""Vega-Lite for the kinds of chart that results need, without width or theme."""
