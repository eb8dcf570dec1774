"""Texts that propose changes, each read into a draft plan by a pure function."""
