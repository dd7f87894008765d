"""One file per kind of work: read, call, render. They run in a process of their own."""
