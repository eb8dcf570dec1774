"""Settings page: configuration keys with their effective values and sources."""
