"""What can be configured, on the page of settings: each key with what counts, and where that comes from."""
