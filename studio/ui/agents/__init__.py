"""Which agents are connected, and what keeps them from writing past the person."""
