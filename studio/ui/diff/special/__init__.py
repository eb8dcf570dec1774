"""What stands there instead of a diff: a card, pictures, a file to be read."""
