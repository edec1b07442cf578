"""Tools that read."""
