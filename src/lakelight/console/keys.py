"""Who may come in: the secret of the link, the session that it opens, and the token of each form.

Sessions are not kept anywhere: a session is a random name with a signature made from the secret, so
that it outlives a restart with the same secret and none outlives the secret itself.
"""

import hashlib
import hmac
import secrets


class Keys:
    """Makes and checks what a browser shows."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()

    def opens(self, given: str) -> bool:
        """True when `given` is the secret; compared in constant time."""
        return bool(self._secret) and hmac.compare_digest(given.encode("utf-8", "replace"), self._secret)

    def new_session(self) -> str:
        """A session for a browser that came with the secret."""
        name = secrets.token_urlsafe(18)
        return f"{name}.{self._sign('session', name)}"

    def knows(self, session: str) -> bool:
        """True when `session` was made from this very secret."""
        name, _, signature = session.partition(".")
        return bool(self._secret) and _same(signature, self._sign("session", name))

    def form_token(self, session: str) -> str:
        """What a form of this session bears, and no other site can know."""
        return self._sign("form", session)

    def fits(self, session: str, token: str) -> bool:
        """True when a form with `token` was made for `session`."""
        return _same(token, self.form_token(session))

    def _sign(self, purpose: str, text: str) -> str:
        content = f"lakelight {purpose} {text}".encode("utf-8", "replace")
        return hmac.new(self._secret, content, hashlib.sha256).hexdigest()


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())
