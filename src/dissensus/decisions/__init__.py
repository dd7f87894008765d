"""What follows from the answers: everything that the data can say, for whoever has to decide."""
