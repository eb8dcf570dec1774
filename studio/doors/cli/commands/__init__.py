"""Commands, each from its arguments to the answer."""
