"""`jackpotd`: reads the command line and calls the command. Exit 0 done, 1 the answer is no, 2 bad usage or input."""

import argparse
import io
import sys
from collections.abc import Sequence
from importlib import import_module

from controller.rules.errors import BadInputError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and say how it ended."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without a § must not cost the answer
    options = _parser().parse_args(arguments)
    try:
        # Imported only now: `--help` needs none of the rules, and no command needs another's.
        code: int = import_module(f"controller.cli.{options.command}").run(options)
    except (BadInputError, OSError) as error:
        print(f"jackpotd {options.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130  # as a shell reports an interrupt
    return code


class _Version(argparse.Action):
    """Asks the installed package only when it is wanted."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # noqa: PLC0415 -- costs as much as all the rest of the start-up

        print(f"jackpotd {version('jackpotd')}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jackpotd",
        description="Progressive jackpot controller for casino baccarat tables.",
        epilog="Exit 0: done. 1: the answer is no. 2: bad usage or bad input.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and end")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (text, add_options) in _COMMANDS.items():
        add_options(commands.add_parser(name, help=text, allow_abbrev=False))
    return parser


def _check(parser: argparse.ArgumentParser) -> None:
    parser.description = "Hold a Rules Submission against the regulation. Exit 0 lawful, 1 violations, 2 unreadable."
    parser.add_argument("file", metavar="FILE", help="the submission, in TOML")
    parser.add_argument("--on", metavar="DATE", help="the day to judge by, YYYY-MM-DD (default: today)")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")


def _console(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Serve the web console and the signs until SIGTERM. Tables are known over MQTT alone; the password for the "
        "broker is mqtt-password in $CREDENTIALS_DIRECTORY. Exit 0 stopped, 1 failed, 2 settings it cannot run with."
    )
    parser.add_argument("--config", metavar="FILE", required=True, help="a table's own configuration, or console.toml")


def _odds(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Exact odds, counted over every ordered deal of six cards. Beside wager ids, mystery configurations are "
        "answered: must-hit-by/A-1, royal9-mystery/1 and the others --all lists."
    )
    parser.add_argument("wager", metavar="WAGER", nargs="?", help="a wager id, like harmony/B or dragon-7")
    parser.add_argument("--all", action="store_true", help="every wager of the catalog")
    parser.add_argument("--decks", type=int, metavar="N", help="decks in the shoe (default: the most that are lawful)")
    parser.add_argument("--amount", metavar="DOLLARS", help="the wager (default: its denomination; --json tells it)")
    parser.add_argument("--layout", metavar="KS9S,KH9H,…", help="Royal 9: the combinations, position 1 first")
    parser.add_argument("--seat", type=int, metavar="N", help="Royal 9: the position (default: 1)")
    parser.add_argument("--config", metavar="FILE", help="take decks, layout, amount and rates from a Rules Submission")
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument(
        "--plot", metavar="FILE.svg", help="draw the house edge against the meter, with its break-even"
    )
    formats.add_argument("--json", action="store_true", help="the answer as JSON")
    formats.add_argument("--csv", action="store_true", help="the answer as CSV")


def _settle(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Settle one wager, or with --stdin every wager of each round given as a line of JSON: "
        '{"player": ["KS", "9S"], "banker": ["2H", "3D"]}. Answers are JSON, one line each.'
    )
    parser.add_argument("wager", metavar="WAGER", nargs="?", help="a wager id, like royal9/5 or perfect-pairs/A@player")
    parser.add_argument("--stdin", action="store_true", help="read rounds from standard input")
    parser.add_argument("--amount", metavar="DOLLARS", help="the wager")
    parser.add_argument("--player", metavar="CARDS", help='the Player\'s hand: "KS 9S"')
    parser.add_argument("--banker", metavar="CARDS", help='the Banker\'s hand: "2H 3D TC"')
    parser.add_argument("--layout", metavar="KS9S,KH9H,…", help="Royal 9: the combinations, position 1 first")
    parser.add_argument("--seat", type=int, metavar="N", help="Royal 9: the position")
    parser.add_argument("--dice", metavar="DICE", help='Super Sic Bo: "2 2 5"')
    parser.add_argument("--multiplier", type=int, metavar="ODDS", help="Super Sic Bo: the odds to 1 a multiplier gives")
    parser.add_argument("--home", metavar="CARD", help="Top Card: the Home card")
    parser.add_argument("--away", metavar="CARD", help="Top Card: the Away card")
    parser.add_argument("--json", action="store_true", help="accepted for uniformity: the answer is JSON anyway")


def _archive(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Put closed gaming days into archive files, the controller stopped. A running one does it by itself. "
        "Exit 0 done, 2 it cannot be."
    )
    parser.add_argument("--config", metavar="FILE", required=True, help="the configuration of the table")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")


def _archives(parser: argparse.ArgumentParser) -> None:
    told = "where its archives are, folders or files (default: the folder `archive` beside it, and its own)"
    parser.add_argument("--archives", metavar="PATH", nargs="+", action="extend", default=[], help=told)


def _audit(parser: argparse.ArgumentParser) -> None:
    parser.description = "Questions to a journal, in use or not. Nothing is written to it. Exit 1: something is wrong."
    questions = parser.add_subparsers(dest="question", metavar="QUESTION", required=True)
    for name, (text, needs_hit) in _QUESTIONS.items():
        question = questions.add_parser(name, help=text, description=f"{text.capitalize()}.", allow_abbrev=False)
        question.add_argument("journal", metavar="DB", help="the journal, an SQLite file")
        if needs_hit:
            question.add_argument("hit", metavar="HIT", help="the id of an award of the hit, like mb-07-14-3")
        if name == "verify":
            question.add_argument("--head", metavar="SEQ:HASH", help="a place in its chain, noted before")
            question.add_argument("--live", action="store_true", help="without its archives: what follows them")
        if name == "restore":
            question.add_argument("--into", metavar="FILE", required=True, help="the journal to write, a new file")
        _archives(question)
        if name == "report":
            question.add_argument("--date", metavar="D", required=True, help="the gaming day, YYYY-MM-DD")
        question.add_argument("--json", action="store_true", help="the answer as JSON")


def _demo(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "The whole system on this machine alone: broker, device twins, controller and people, playing by themselves "
        "for nobody's money. Ctrl-C ends it with a summary and the journal proven."
    )
    parser.add_argument("--port", type=int, default=8080, metavar="N", help="of the console (default: 8080)")
    parser.add_argument(
        "--speed", type=float, default=10.0, metavar="X", help="divides every time (default: 10); 0: no time at all"
    )
    parser.add_argument("--rounds", type=int, metavar="N", help="end after so many rounds at each table")
    parser.add_argument("--state", metavar="DIR", help="where it is kept (default: ~/.local/state/jackpotd-demo)")
    parser.add_argument("--broker", metavar="HOST:PORT", help="a broker that lets everybody in, not the embedded one")
    parser.add_argument("--tables", type=int, default=1, metavar="N", help="tables, from 1 to 8 (default: 1)")
    parser.add_argument("--link", metavar="DSN", help="a PostgreSQL in which the tables share their Harmony meter")
    parser.add_argument("--seed", type=int, metavar="S", help="the same players and cards each time")
    parser.add_argument("--no-floor", action="store_true", help="nobody validates: what is won waits for you")


def _rng(parser: argparse.ArgumentParser) -> None:
    parser.description = "Whether mystery values are drawn as they must be: uniform, and independent of each other."
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    test = actions.add_parser("test", help="a battery of eight kinds of tests, with a report", allow_abbrev=False)
    test.description = "Draw values as a table does, test them at 95% and 99%, and tell."
    test.add_argument(
        "--mystery", metavar="ID", default="royal9-mystery/1", help="the configuration, like must-hit-by/D-5"
    )
    test.add_argument("--draws", type=int, default=200_000, metavar="N", help="how many values (default: 200000)")
    test.add_argument("--json", action="store_true", help="the answer as JSON")
    stream = actions.add_parser("stream", help="draws as 32-bit words, without an end", allow_abbrev=False)
    stream.description = "Pour draws out as raw bytes, for dieharder or another battery that reads bits."


def _devices(parser: argparse.ArgumentParser) -> None:
    parser.description = "List serial ports under names that stay, and what answers there. Ports in use are left alone."
    parser.add_argument("--port", metavar="PATH", action="append", default=[], help="ask this port, and no others")
    parser.add_argument("--no-probe", action="store_true", help="send nothing to any port")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    watch = actions.add_parser("watch", help="inputs, lamps and counters of a table, live", allow_abbrev=False)
    watch.description = "Show what a table's devices sense, show and count. No journal is opened, no meter moves."
    watch.add_argument("--config", metavar="FILE", required=True, help="the configuration with the table's devices")
    watch.add_argument("--seconds", type=float, metavar="N", help="end after so long (default: at Ctrl-C)")
    watch.add_argument("--coins", action="store_true", help="let coins into the drop slots meanwhile")
    watch.add_argument("--json", action="store_true", help="every event as a line of JSON")
    simulate = actions.add_parser("simulate", help="a simulated device on a pseudo-terminal", allow_abbrev=False)
    simulate.description = "Leave a simulated device running. It obeys words on standard input; Ctrl-C ends it."
    simulate.add_argument("driver", metavar="DRIVER", help="modbus, cctalk, angel-eye or text-shoe")
    simulate.add_argument(
        "--path", metavar="PATH", help="where to find it (default: a path of its own, which it tells)"
    )
    simulate.add_argument("--play", action="store_true", help="let people play with it, instead of waiting for words")


def _link(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Meters that tables share, in PostgreSQL. The password for it is link-password in $CREDENTIALS_DIRECTORY, the "
        "key for mystery values link-key. Exit 0 done, 1 the answer is no, 2 bad input or no database."
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, text in _LINK.items():
        action = actions.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False)
        action.add_argument("--config", metavar="FILE", required=True, help="the configuration of a table of the link")
        if name == "init":
            action.add_argument("--dsn", metavar="DSN", help="connect as its owner, where link.dsn is a controller's")
            action.add_argument("--role", metavar="ROLE", help="whom to give the rights of a controller")
        if name == "report":
            action.add_argument("--date", metavar="D", help="the gaming day, YYYY-MM-DD (default: the running one)")
        if name == "audit":
            action.add_argument(
                "--journal", metavar="DB", nargs="+", action="extend", default=[], help="journals of its tables"
            )
            _archives(action)
        action.add_argument("--json", action="store_true", help="the answer as JSON")


def _operators(parser: argparse.ArgumentParser) -> None:
    parser.description = "The people who may sign in at a table. PINs are asked for, or read from standard input."
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, text in _OPERATORS.items():
        action = actions.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False)
        if name != "list":
            action.add_argument("operator", metavar="ID", help="the id they sign in with, like ana.ruiz or 40121")
        if name == "add":
            action.add_argument("--name", metavar="NAME", required=True, help="their name, as reports show it")
            action.add_argument("--role", metavar="ROLE", required=True, help="dealer floorperson supervisor auditor")
            action.add_argument("--second", metavar="ID", help="another supervisor who signs, where two have to")
        action.add_argument("--by", metavar="ID", help="who does this, and signs in for it")
        action.add_argument("--config", metavar="FILE", help="the configuration of the table, with the broker's place")
        action.add_argument("--mqtt-user", metavar="USER", default="console", help="who may send commands there")
        action.add_argument("--mqtt-password-file", metavar="FILE", help="the password of that user, on one line")
        action.add_argument("--offline", action="store_true", help="on the journal itself, the controller stopped")
        action.add_argument("--journal", metavar="FILE", help="offline: the journal of the table")
        _archives(action)
        if name != "list":
            action.add_argument("--pepper", metavar="FILE", help="offline: the secret that hashes are keyed with")
        action.add_argument("--json", action="store_true", help="the answer as JSON")


def _run(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Keep one table until SIGTERM. Keys and passwords are files in $CREDENTIALS_DIRECTORY, which systemd makes. "
        "Exit 0 stopped, 1 refused to start or failed, 2 a configuration it cannot run."
    )
    parser.add_argument("--config", metavar="FILE", required=True, help="the Rules Submission, with or beside settings")


def _simulate(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Play whole tables on virtual time: power cuts, noise, lost brokers and mistakes, all from one seed, judged by "
        "an independent auditor. Exit 0 whole, 1 a violation, with the shortest history that shows it, 2 bad usage."
    )
    parser.add_argument("--seed", type=int, metavar="S", help="the same run each time (default: a new one, told)")
    parser.add_argument("--rounds", type=int, default=500, metavar="N", help="hands of one run (default: 500)")
    parser.add_argument("--runs", type=int, default=1, metavar="N", help="runs, of seeds one after the other")
    parser.add_argument("--seconds", type=float, default=0.0, metavar="N", help="and more, for so much processor time")
    parser.add_argument("--table", default="", metavar="NAME", help="the submission (default: by the seed)")
    parser.add_argument("--fair", action="store_true", help="draw mystery values as in life, not mostly low ones")
    parser.add_argument(
        "--hours", type=float, metavar="H", help="the table is open so long each day (default: by the seed)"
    )
    parser.add_argument("--faults", default="all", metavar="KINDS", help="all, none, or kinds like power,noise")
    parser.add_argument("--only", metavar="NUMBERS", help="of the faults a seed lists, only these, like 3,17")
    parser.add_argument("--no-shrink", dest="shrink", action="store_false", help="tell a violation as it was found")
    parser.add_argument("--trace", metavar="FILE", help="write the last run down, one event a line")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")


def _status(parser: argparse.ArgumentParser) -> None:
    parser.description = "How the controller on this box is, live. Exit 0 online, 1 faulted or not running."
    parser.add_argument("--config", metavar="FILE", required=True, help="the configuration it runs with")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")


_LINK = {
    "init": "make the link's database ready, open its meters, and add this table",
    "status": "how the link is, live: tables, amounts, hits, standbys",
    "audit": "does it add up, line by line and table by table?",
    "report": "a gaming day of its meters, increase and decrease explained",
}
_OPERATORS = {
    "add": "let someone sign in, or give them another name, role and PIN",
    "list": "who may sign in, and who once could",
    "disable": "let someone sign in no more",
}
_QUESTIONS = {
    "verify": ("is it whole: chain, money and replay", False),
    "report": ("a gaming day's readings, increase and decrease explained", False),
    "hits": ("every hit, the newest last", False),
    "derive": ("how an amount came about, contribution by contribution", True),
    "reveal": ("a mystery value held against its commitment", True),
    "restore": ("the journal and its archives as one plain SQLite file", False),
}
_COMMANDS = {
    "archive": ("closed gaming days into archive files", _archive),
    "audit": ("is a journal whole, and what does it say?", _audit),
    "check": ("is this Rules Submission lawful?", _check),
    "console": ("the web console and the signs", _console),
    "demo": ("a table that plays by itself, with all that belongs to it", _demo),
    "devices": ("serial ports, what answers there, and a table's devices live", _devices),
    "link": ("meters that tables share: their database, state and audit", _link),
    "operators": ("the people who may sign in at a table", _operators),
    "odds": ("exact odds of a wager, or of the whole catalog", _odds),
    "rng": ("the statistics of the mystery draw", _rng),
    "run": ("the controller of one table", _run),
    "simulate": ("whole tables on virtual time, with all that can befall them", _simulate),
    "status": ("how the controller on this box is, live", _status),
    "settle": ("settle a wager, or whole rounds from standard input", _settle),
}


def command_names() -> list[str]:
    """Every command there is."""
    return list(_COMMANDS)
