"""Work on a Dask cluster: connect, compare versions, send tasks, wait for them."""
