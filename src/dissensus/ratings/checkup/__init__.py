"""What may be wrong with a file of ratings before anything is computed: one check per file."""
