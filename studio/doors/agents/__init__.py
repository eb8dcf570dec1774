"""What the doors of agents share: a model that follows a script, before which the real clients are tried."""
