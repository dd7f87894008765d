PARTS = ("describe", "raters", "equivalence", "judges", "compare", "alt-test", "panel", "prevalence")
"""Sections that a report shows as soon as each is computed, by the command that asks alone, in reading order."""
