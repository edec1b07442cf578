"""A bell that a thread rings when there is something to do, and that tasks of an event loop wait for."""

import asyncio
import threading


class Bell:
    """Rings for everyone who waits; nobody misses a ring between two waits of a `Listener`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: set[Listener] = set()

    def ring(self) -> None:
        """Wake all who listen, from any thread."""
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener.wake()

    def listen(self) -> "Listener":
        """Somebody who waits for this bell, in the running event loop, until `leave`."""
        listener = Listener(self)
        with self._lock:
            self._listeners.add(listener)
        return listener

    def forget(self, listener: "Listener") -> None:
        """Ring for it no more."""
        with self._lock:
            self._listeners.discard(listener)


class Listener:
    """Waits for a bell."""

    def __init__(self, bell: Bell) -> None:
        self._bell = bell
        self._loop = asyncio.get_running_loop()
        self._rung = asyncio.Event()

    def wake(self) -> None:
        """The bell rings."""
        try:
            self._loop.call_soon_threadsafe(self._rung.set)
        except RuntimeError:
            # The loop is closed, and nobody waits there any more.
            self.leave()

    async def wait(self, seconds: float) -> None:
        """Return when the bell has rung since the last time, or when the time is up."""
        try:
            async with asyncio.timeout(seconds):
                await self._rung.wait()
        except TimeoutError:
            pass
        self._rung.clear()

    def leave(self) -> None:
        """Listen no more."""
        self._bell.forget(self)
