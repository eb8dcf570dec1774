"""The journal's vocabulary and the leaf that carries it out (seed 1)."""
