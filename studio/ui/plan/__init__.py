"""Page in the center while a whole plan is selected."""
