"""The door for agents that speak the Model Context Protocol: their calls become plans, and wait (R198)."""
