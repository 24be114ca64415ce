"""The whole service: how soon a lamp and a sign know, what it costs to wait, memory, full speed, and other ways."""

import json
from collections.abc import Mapping
from pathlib import Path

from bench import service_idle, service_latency, service_memory
from bench.brokers import MOSQUITTO, mosquitto
from bench.places import MEMORY, compiled, file_system, folder, python
from bench.report import Figure, Note, progress
from bench.service_rivals import DEVICES, DURABLE, ES_LOOP, ES_THREAD, OURS, SCRIPT
from bench.slow_sync import VARIABLE

BLOCKS = {"disk": 4, "0.3 ms": 5, "2 ms": 1}  # of each variant; a script takes seconds to end one
LATENCIES = {"0.3 ms": 300_000, "2 ms": 2_000_000}  # nanoseconds
JUDGED = "0.3 ms"  # as for the journal: a quick disk in the same mood all the time
LEAST_EVENTSOURCING, LEAST_SCRIPT = 8.0, 20.0


def figures() -> list[Figure | Note]:
    """All of them."""
    if MOSQUITTO is None:
        return [Note("The service: skipped, there is no mosquitto")]
    with folder(Path.cwd()) as made:
        found: list[Figure | Note] = []
        for name, measure in (
            ("latency", service_latency.figures),
            ("idle", service_idle.figures),
            ("full-speed", service_memory.sustained),
            ("memory", service_memory.figures),
        ):
            place = made / name
            place.mkdir()
            with mosquitto(place) as port:
                found += measure(place, port)
        return found + _rivals(made)


def soak() -> list[Figure | Note]:
    """The memory over as many rounds as a busy table plays in six weeks."""
    if MOSQUITTO is None:
        return [Note("Memory: skipped, there is no mosquitto")]
    with folder(Path.cwd()) as made, mosquitto(made) as port:
        return service_memory.figures(made, port, service_memory.SOAK_ROUNDS)


def _rivals(made: Path) -> list[Figure | Note]:
    """The same way by others: the noisy disk first, and what the goals are judged on last."""
    library = compiled(made)
    fixed = not isinstance(library, str)
    place = made / "rivals"
    place.mkdir()
    progress("service: other ways, on this disk")
    found: list[Figure | Note] = [
        Note(f"{DEVICES} devices, each waits until its wager is durable and with the broker; {file_system(made)}:"),
        *_compared(_rates(place, BLOCKS["disk"], {}), judged=not fixed),
    ]
    if isinstance(library, str):
        return [*found, Note(f"The same with syncs of fixed latency: skipped, {library}")]
    for name, nanoseconds in reversed(LATENCIES.items()):
        progress(f"service: other ways, every sync {name}")
        with folder(MEMORY) as fast:
            rates = _rates(fast, BLOCKS[name], {"LD_PRELOAD": str(library), VARIABLE: str(nanoseconds)})
        found += [Note(f"The same in memory, every sync {name}:"), *_compared(rates, judged=name == JUDGED)]
    return found


def _rates(place: Path, blocks: int, env: Mapping[str, str]) -> dict[str, float]:
    with mosquitto(place) as port:
        told = python("-m", "bench.service_rivals", str(place), str(port), str(blocks), env=env)
    rates: dict[str, float] = json.loads(told)
    return rates


def _compared(rates: Mapping[str, float], *, judged: bool) -> list[Figure | Note]:
    best = max(rates[ES_LOOP], rates[ES_THREAD])
    least = (LEAST_EVENTSOURCING, LEAST_SCRIPT) if judged else (None, None)
    return [
        Figure("jackpotd: wagers a second", rates[OURS], ""),
        Figure("jackpotd, durable only: wagers a second", rates[DURABLE], ""),
        Figure("eventsourcing and aiomqtt, saved in the loop: wagers a second", rates[ES_LOOP], ""),
        Figure("eventsourcing and aiomqtt, saved in a thread: wagers a second", rates[ES_THREAD], ""),
        Figure("threads, autocommit sqlite3 and paho: wagers a second", rates[SCRIPT], ""),
        Figure("jackpotd / eventsourcing and aiomqtt", rates[OURS] / best, "x", least=least[0]),
        Figure("jackpotd / threads, sqlite3 and paho", rates[OURS] / rates[SCRIPT], "x", least=least[1]),
    ]
