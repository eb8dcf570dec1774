"""Page in the centre while a whole plan is selected."""
