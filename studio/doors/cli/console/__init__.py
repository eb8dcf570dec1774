"""Terminal input and output of commands: texts, questions, interrupts."""
