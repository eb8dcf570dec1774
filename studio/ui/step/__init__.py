"""Page in the center while a step is selected."""
