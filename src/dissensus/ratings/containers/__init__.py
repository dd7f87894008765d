"""What files are wrapped in: JSON, YAML, archives and workbooks, each opened within stated limits."""
