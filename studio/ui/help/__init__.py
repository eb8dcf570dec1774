"""What helps when something breaks: a strip that says what is safe, and a text to hand on."""
