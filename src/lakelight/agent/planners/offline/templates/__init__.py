"""What can be said, one file a language."""
