"""Pages shown instead of a diff: card, images, plain file."""
