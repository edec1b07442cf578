"""The console: a page for each approval, a list of them, and the forms that decide. No JavaScript.

What a card says (`card`, `records`, `visitor`, `edits`) is for the command line too, and needs no web
framework.
"""
