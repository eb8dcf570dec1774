"""Tools of the agents that have hooks: parsing of events, classification, answers."""
