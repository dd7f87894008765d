"""One file per source format: each knows its layout and hands over plain columns."""
