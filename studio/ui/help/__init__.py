"""What helps when something breaks: a banner that says what is safe, and a text to hand on."""
