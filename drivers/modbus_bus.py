"""Questions to boards on a line, one after the other, each with the silence it takes."""

import asyncio

from drivers import modbus_rtu as rtu
from drivers.driver import Counters
from drivers.port import Line, LineSettings, Wire

PROBED_SPEEDS, PROBED_ADDRESSES = (9600, 19200, 115200), range(1, 9)  # boards leave the factory at address 1 and 9600
PROBE_MS = 60  # what boards and adapters take to answer, with room


class Bus:
    """One line, asked and answered."""

    def __init__(self, line: Wire, character_seconds: float, silence: float, reply_ms: float) -> None:
        self._line = line
        self._character = character_seconds
        self._silence = silence
        self._reply = reply_ms / 1000
        self._quiet_until = 0.0

    async def ask(self, request: rtu.Request, counters: Counters, attempts: int) -> bytes:
        """The data of the reply. An error where none came, or the board refuses."""
        for _ in range(attempts):
            found = await self._once(request, counters)
            if found is not None:
                return found
            counters.timeouts += 1
        raise TimeoutError

    async def _once(self, request: rtu.Request, counters: Counters) -> bytes | None:
        loop = asyncio.get_running_loop()
        if self._silence and self._quiet_until > loop.time():
            await asyncio.sleep(self._quiet_until - loop.time())
        self._line.discard()
        reply = rtu.Reply(request)
        await self._line.write(request.frame)
        until = loop.time() + (len(request.frame) + request.size) * self._character + self._reply
        try:
            while True:
                left = until - loop.time()
                # Once more when the time is over: this program may have been late itself. But only once: a line that
                # is never silent must not hold it.
                content = reply.take(await self._line.read(max(left, 0)))
                if content is not None:
                    counters.seen()
                    return content
                if left <= 0:
                    return None
        except rtu.RefusedError:
            counters.seen()
            raise
        finally:
            self._quiet_until = loop.time() + self._silence
            counters.resyncs += bool(reply.skipped)
            counters.bad_checksums += reply.damaged


async def probe(port: str) -> list[str]:
    """What answers on a line at the first addresses, at the usual speeds: each is asked for one input."""
    found: list[str] = []
    for baudrate in PROBED_SPEEDS:
        settings = LineSettings(port=port, baudrate=baudrate)
        line = Line(settings)
        try:
            bus = Bus(line, settings.character_seconds, silence(settings), PROBE_MS)
            for address in PROBED_ADDRESSES:
                said = await _probed(bus, rtu.read_bits(address, rtu.READ_INPUTS, 0, 1))
                found += [f"address {address} at {baudrate} baud: {said}"] if said else []
        finally:
            line.close()
        if found:
            break
    return found


async def _probed(bus: Bus, request: rtu.Request) -> str:
    try:
        await bus.ask(request, Counters(), 1)
    except TimeoutError:
        return ""
    except rtu.RefusedError as error:
        return f"a board: {error}"
    return "a board with inputs"


# Silence before a frame: 3.5 characters; above 19200 baud a fixed 1.75 ms (Modbus over serial line, 2.5.1.1).
SILENT_CHARACTERS, LEAST_SILENCE, FIXED_ABOVE = 3.5, 0.00175, 19_200


def silence(line: LineSettings) -> float:
    """How long a line is left alone before a question, in seconds."""
    return LEAST_SILENCE if line.baudrate > FIXED_ABOVE else SILENT_CHARACTERS * line.character_seconds
