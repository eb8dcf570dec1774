"""What a person decides on: whether a step still fits the disk, its result edited, rebased or settled."""
