"""The desk of an open project: what it shows, what a person works out, and what they decide."""
