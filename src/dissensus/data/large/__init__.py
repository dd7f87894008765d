"""Ratings that do not fit in memory: items that nobody can tell apart become one, before Python sees a row."""
