"""What a release is made of: each module builds one kind of package from a clean tree, and tries it out."""
