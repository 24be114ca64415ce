"""Every chart: what is drawn in it, and how fast each thing in it may grow."""

from typing import NamedTuple

HISTORY, SIGNS, TABLES, LINK = "history", "signs", "tables", "link"
PARTS = (HISTORY, SIGNS, TABLES, LINK)
FLAT, NEARLY_FLAT, PROPORTIONAL = (-0.1, 0.1), (-0.1, 0.25), (-0.1, 1.1)

LONG = 50_000.0  # facts from which verifying is done by two processes, and 50 hits are there to be listed


class Line(NamedTuple):
    """A series of the data, and what it is called; a peer or a floor is dashed."""

    series: str
    label: str
    peer: bool = False


class Growth(NamedTuple):
    """How a series, or its ratio to another, should grow: the least and the most exponent, and why."""

    series: str
    over: str | None
    bounds: tuple[float, float]
    should: str
    judged: bool = True  # False: told only
    least_x: float = 0.0  # from where on


class Chart(NamedTuple):
    """One drawing and one table."""

    id: str
    part: str
    title: str
    across: str
    upwards: str
    lines: tuple[Line, ...]
    growths: tuple[Growth, ...]


_FACTS = "facts in the journal"
_SIGNS = "signs that listen"
_TABLES = "tables on this machine"

CHARTS = (
    Chart(
        "writing-rate",
        HISTORY,
        "Durable inputs a second",
        _FACTS,
        "inputs a second",
        (
            Line("engine_8_rate", "engine, 8 at a time"),
            Line("bare_8_rate", "bare sqlite3, 8 at a time", peer=True),
            Line("engine_1_rate", "engine, 1 at a time"),
            Line("bare_1_rate", "bare sqlite3, 1 at a time", peer=True),
        ),
        (
            Growth("engine_1_rate", "bare_1_rate", FLAT, "flat: deciding knows nothing of the history's length"),
            Growth("engine_8_rate", "bare_8_rate", FLAT, "flat"),
            Growth("bare_1_rate", None, FLAT, "nearly flat: a tree one page deeper each 10² facts", judged=False),
        ),
    ),
    Chart(
        "writing-latency",
        HISTORY,
        "Until one input is durable",
        _FACTS,
        "milliseconds",
        (
            Line("engine_p99", "engine, p99"),
            Line("bare_p99", "bare sqlite3, p99", peer=True),
            Line("engine_p50", "engine, p50"),
            Line("bare_p50", "bare sqlite3, p50", peer=True),
        ),
        (
            Growth("engine_p50", "bare_p50", FLAT, "flat"),
            Growth("engine_p99", "bare_p99", NEARLY_FLAT, "flat; a p99 is the disk's mood", judged=False),
        ),
    ),
    Chart(
        "start",
        HISTORY,
        "Start: from the file to the proven state",
        _FACTS,
        "milliseconds",
        (
            Line("start_ms", "open, load, prove"),
            Line("start_floor_ms", "bare sqlite3: fetch and hash the same rows", peer=True),
        ),
        (Growth("start_ms", "start_floor_ms", FLAT, "flat: a snapshot and the facts since, whatever came before"),),
    ),
    Chart(
        "verify",
        HISTORY,
        "audit verify: every fact proven",
        _FACTS,
        "seconds",
        (
            Line("verify_s", "audit verify"),
            Line("fetch_s", "bare sqlite3: fetch and hash only", peer=True),
        ),
        (
            Growth("verify_s", None, (0.7, 1.1), "in proportion: every fact is read once", least_x=LONG),
            Growth("verify_s", "fetch_s", (-0.3, 0.1), "flat", least_x=LONG),
        ),
    ),
    Chart(
        "verify-rate",
        HISTORY,
        "audit verify: facts a second",
        _FACTS,
        "facts a second",
        (Line("verify_rate", "audit verify"), Line("fetch_rate", "bare sqlite3: fetch and hash only", peer=True)),
        (),
    ),
    Chart(
        "memory",
        HISTORY,
        "Memory",
        _FACTS,
        "megabytes at most",
        (
            Line("verify_mb", "audit verify, both its processes"),
            Line("fetch_mb", "bare sqlite3: fetch and hash only", peer=True),
            Line("start_mb", "controller, state proven"),
            Line("import_mb", "controller, nothing loaded", peer=True),
        ),
        (
            Growth("verify_mb", None, FLAT, "flat: a page of facts, and two gaming days", least_x=LONG),
            Growth("start_mb", "import_mb", FLAT, "flat"),
        ),
    ),
    Chart(
        "size",
        HISTORY,
        "The database",
        _FACTS,
        "bytes",
        (
            Line("bytes_a_round", "of the file, a round"),
            Line("content_a_round", "of the columns themselves, a round", peer=True),
            Line("bytes_a_fact", "of the file, a fact"),
            Line("content_a_fact", "of the columns themselves, a fact", peer=True),
        ),
        (Growth("bytes_a_fact", "content_a_fact", FLAT, "flat: no index grows faster than its facts"),),
    ),
    Chart(
        "questions",
        HISTORY,
        "Questions of the console",
        _FACTS,
        "milliseconds",
        (
            Line("hits_ms", "the newest 50 hits"),
            Line("day_ms", "the readings of one day"),
            Line("rounds_ms", "the newest 50 rounds"),
            Line("day_rows_ms", "bare sqlite3: the rows of one day", peer=True),
        ),
        (
            Growth("day_ms", "day_rows_ms", NEARLY_FLAT, "flat but for the list of days"),
            Growth("rounds_ms", "day_rows_ms", FLAT, "flat"),
            Growth("hits_ms", "day_rows_ms", NEARLY_FLAT, "flat once there are 50", least_x=LONG),
        ),
    ),
    Chart(
        "signs-latency",
        SIGNS,
        "From a chip on its sensor to every sign",
        _SIGNS,
        "milliseconds",
        (
            Line("ws_p99", "browsers' sockets, p99"),
            Line("mqtt_p99", "MQTT, p99"),
            Line("ws_p50", "browsers' sockets, p50"),
            Line("mqtt_p50", "MQTT, p50"),
            Line("bare_p99", "bare sockets alone, p99", peer=True),
            Line("bare_p50", "bare sockets alone, p50", peer=True),
        ),
        (
            Growth(
                "ws_p50", None, (-0.1, 0.9), "less than in proportion: a disk and a broker once, then one send each"
            ),
            Growth("mqtt_p50", None, (-0.1, 0.9), "the same"),
            Growth("bare_p50", None, PROPORTIONAL, "in proportion, once sends are all there is", judged=False),
        ),
    ),
    Chart(
        "signs-processor",
        SIGNS,
        "Processor time a wager",
        _SIGNS,
        "milliseconds of one core",
        (
            Line("console_ws_cpu", "console, browsers' sockets"),
            Line("broker_mqtt_cpu", "broker, MQTT"),
            Line("controller_mqtt_cpu", "controller"),
            Line("bare_cpu", "bare sockets: one loop that sends", peer=True),
        ),
        (
            Growth("console_ws_cpu", None, PROPORTIONAL, "in proportion at most: one send for each"),
            Growth("broker_mqtt_cpu", None, PROPORTIONAL, "in proportion at most"),
            Growth("controller_mqtt_cpu", None, FLAT, "flat: it tells the broker once"),
        ),
    ),
    Chart(
        "signs-memory",
        SIGNS,
        "Memory by signs",
        _SIGNS,
        "megabytes",
        (
            Line("console_ws_mb", "console, browsers' sockets"),
            Line("controller_mqtt_mb", "controller"),
            Line("broker_mqtt_mb", "broker, MQTT"),
            Line("bare_mb", "bare sockets: one loop that sends", peer=True),
        ),
        (
            Growth("console_ws_mb", None, (-0.1, 0.4), "less than in proportion: little for each beside the program"),
            Growth("controller_mqtt_mb", None, FLAT, "flat"),
        ),
    ),
    Chart(
        "tables-latency",
        TABLES,
        "From a chip to a sign, many tables on one machine",
        _TABLES,
        "milliseconds",
        (
            Line("tables_p99", "sensor to sign, p99"),
            Line("tables_p50", "sensor to sign, p50"),
            Line("floor_p99", "floor: a sync and a hop, p99", peer=True),
            Line("floor_p50", "floor: a sync and a hop, p50", peer=True),
        ),
        (Growth("tables_p50", "floor_p50", (-0.3, 0.6), "flat while processors are free; then they queue"),),
    ),
    Chart(
        "tables-cost",
        TABLES,
        "What a table costs",
        _TABLES,
        "of one core in %, and megabytes",
        (
            Line("table_mb", "memory of a controller, megabytes"),
            Line("table_cpu", "processor of a controller, %"),
            Line("broker_cpu", "processor of the broker, a table, %", peer=True),
        ),
        (
            Growth("table_mb", None, FLAT, "flat: tables know nothing of each other"),
            Growth("table_cpu", None, (-0.25, 0.25), "flat"),
        ),
    ),
    Chart(
        "link-rate",
        LINK,
        "Lock-outs a second on one shared meter",
        "tables on one link",
        "lock-outs a second",
        (
            Line("link_rate", "jackpotd"),
            Line("psycopg_rate", "bare psycopg, the same statements", peer=True),
            Line("pgbench_rate", "pgbench", peer=True),
        ),
        (Growth("link_rate", "psycopg_rate", (-0.15, 0.15), "flat: what is slower is the one row all want"),),
    ),
    Chart(
        "link-latency",
        LINK,
        "One lock-out on a shared meter, all tables at full speed",
        "tables on one link",
        "milliseconds",
        (
            Line("link_p99", "jackpotd, p99"),
            Line("psycopg_p99", "bare psycopg, p99", peer=True),
            Line("link_p50", "jackpotd, p50"),
            Line("psycopg_p50", "bare psycopg, p50", peer=True),
        ),
        (Growth("link_p50", "psycopg_p50", (-0.15, 0.15), "flat: all wait their turn at one row"),),
    ),
)
