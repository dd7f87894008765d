"""What all the methods together say about one data set."""
