"""Sentences that people read, in Chinese and English, by key."""

from lakelight.messages.catalogue import Language, Messages, language_for, languages

__all__ = ["Language", "Messages", "language_for", "languages"]
