"""One file per source format: each knows its layout and hands over plain columns.

`format` says what a format is, `plan` what it is given and hands over, and `registry` finds it. Several formats use
`collecting`, `item_keys` and `patterns`.
"""
