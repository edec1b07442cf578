"""Numbers in the format that their column asks for."""

from collections.abc import Mapping

_SIGNS: Mapping[str, str] = {
    "dollar": "$", "canadian_dollar": "CA$", "singapore_dollar": "S$", "australian_dollar": "A$",
    "hong_kong_dollar": "HK$", "new_taiwan_dollar": "NT$",
    "euro": "€", "pound": "£", "yen": "¥", "yuan": "CN¥",
    "ruble": "₽", "rupee": "₹", "won": "₩", "real": "R$", "lira": "₺", "franc": "CHF ", "baht": "฿",
}  # fmt: skip
_PLAIN = ("", "number")


def in_format(number: float | None, form: str) -> str:
    """Return the number as words; a currency without a sign of its own here is a number with commas."""
    if number is None:
        return ""
    if form == "percent":
        return f"{_trimmed(number * 100)}%"
    if form in _PLAIN:
        return _trimmed(number)
    sign = "-" if number < 0 else ""
    if form in _SIGNS:
        return f"{sign}{_SIGNS[form]}{abs(number):,.2f}".removesuffix(".00")
    whole, dot, rest = _trimmed(abs(number)).partition(".")
    return f"{sign}{int(whole):,}{dot}{rest}" if whole.isdigit() else f"{sign}{whole}{dot}{rest}"


def _trimmed(number: float) -> str:
    return f"{number:.12g}" if isinstance(number, float) else str(number)
