"""Tickets: rows of a Notion database that agents work on and answer with receipts.

The rules here are pure. The poller, the dispatcher and the ledger do the reading, writing and keeping.
"""
