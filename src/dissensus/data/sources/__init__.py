"""A file or a frame, opened as a sheet of text columns, as records or as one document, each within stated limits."""
