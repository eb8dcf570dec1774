"""Ways in: each turns what an agent says into a call of the engine's proposer side."""
