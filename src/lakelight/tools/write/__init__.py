"""Tools that build an operation. None of them can send one."""
