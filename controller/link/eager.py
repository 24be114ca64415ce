"""A connection that asks the socket before it asks the loop.

The library waits in the loop before every step, for a pipeline of three statements a dozen times, and nearly always for
a socket that can be written at once. Half of the processor time of an intent went there, much of it with the meter's
row locked. Only what is not ready is waited for here.
"""

import select
from typing import TypeVar

from psycopg import AsyncConnection
from psycopg.abc import PQGen
from psycopg.rows import TupleRow
from psycopg.waiting import Ready, Wait

T = TypeVar("T")

_WANTED = {
    Wait.R: select.POLLIN,
    Wait.W: select.POLLOUT,
    Wait.RW: select.POLLIN | select.POLLOUT,
}
# A socket that has ended, of which anything else is said, can be read and written: that is how its end is learnt.
_READY = {
    select.POLLIN: Ready.R,
    select.POLLOUT: Ready.W,
}


class Eager(AsyncConnection[TupleRow]):
    """A connection that waits only where it has to."""

    async def wait(self, gen: PQGen[T], *more: float | None, **named: float | None) -> T:
        """Have something done on the connection."""
        return await super().wait(_eagerly(gen, self.pgconn.socket), *more, **named)  # type: ignore[arg-type]  # as given


def _eagerly(gen: PQGen[T], socket: int) -> PQGen[T]:
    """The same steps; those that are ready are taken at once."""
    poll = select.poll()
    try:
        wanted = next(gen)
        while True:
            poll.register(socket, _WANTED[wanted])
            now = poll.poll(0)
            wanted = gen.send(_READY.get(now[0][1], Ready.RW) if now else (yield wanted))
    except StopIteration as ended:
        found: T = ended.value
        return found
