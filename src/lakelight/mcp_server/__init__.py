"""The tools over the Model Context Protocol, for a client that plans by itself.

Every call is a run of the same loop as a chat's, past the same guard. Only the files that speak the
protocol (`server`, `offer`, `person`) import its SDK, which is an extra.
"""
