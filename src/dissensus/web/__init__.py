"""The same answers in a browser: pages that call the functions of the command line and show the report's sections."""
