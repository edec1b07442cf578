"""How names are compared: what looks the same to a reader is the same."""

import unicodedata

# What people put around a name: brackets, quotes, an @, and the marks of emphasis.
_DECORATION = "@*_`\"'“”‘’「」『』《》〈〉【】〖〗[](){}<>:,;、。 \t\r\n"


def fold(text: str) -> str:
    """`text` as comparisons use it: NFKC, case-folded, invisible characters and outer space gone."""
    # Case-folding can leave a form that NFKC would change again, hence the second round.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    seen = "".join(char for char in folded if unicodedata.category(char) != "Cf")
    return " ".join(seen.split())


def bare(text: str) -> str:
    """`fold`, without the brackets, quotes and `@` that people put around a name."""
    return fold(text).strip(_DECORATION)
