"""What is known of the agents that can be connected: one record each."""
