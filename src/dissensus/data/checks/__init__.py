"""What may be wrong with a file of ratings before anything is computed: one check per file.

A check looks at a `patient` and returns what it finds, each a `finding`, with one of the `remedies` where there is one.
"""
