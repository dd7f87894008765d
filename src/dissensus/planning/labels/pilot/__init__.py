"""What a pilot says of two models and of the labels."""
