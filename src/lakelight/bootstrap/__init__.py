"""Builds everything from the settings; the only package that chooses adapters."""
