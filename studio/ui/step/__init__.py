"""Page in the centre while a step is selected."""
