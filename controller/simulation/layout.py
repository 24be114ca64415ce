"""The tables that are simulated: the example Rules Submissions, wired to boards and, some of them, to a shoe."""

from collections.abc import Iterable
from importlib import resources
from random import Random
from typing import Any

from msgspec import Struct
from msgspec.toml import decode

from controller.simulation.trace import Slot, Spot

RAIL, SHOE, SLOTS = "rail", "shoe", "slots"
TEXT_SHOE, ANGEL_EYE = "text-shoe", "angel-eye"
JOURNAL = "/var/lib/jackpotd/journal.db"  # on the simulated disk
KEEP_DAYS = 3  # the fewest there are: in a longer run, days leave for archives
BOARD_INPUTS = 16  # of the boards this is wired to; one is the button's
RIGHT_COIN, WRONG_COIN = 1, 2  # as the acceptors number them
WRONG_WORTH = 2  # times the right one
FIRST_ADDRESS = 2  # of an acceptor
_WAGERS = ("royal9", "harmony", "heavenly9")
SUBMISSIONS = ("baccarat-heavenly9", "midibaccarat-harmony", "minibaccarat-royal9-1", "minibaccarat-royal9-5")


class Layout(Struct, frozen=True, kw_only=True):
    """One table."""

    name: str
    toml: str
    site: str
    table: str
    positions: int
    wagers: tuple[str, ...]
    payout: str
    spots: tuple[Spot, ...]  # where chips are laid down
    lamps: tuple[Spot, ...]  # of these, and of the slots
    boards: tuple[str, ...]
    shoe: str  # the driver of the shoe; empty: hands are keyed in
    slots: tuple[Slot, ...]  # where coins are dropped in instead
    poll_ms: int
    debounce_ms: int

    @property
    def button(self) -> tuple[str, int]:
        """The board and the input of the button: the last of the last."""
        return self.boards[-1], BOARD_INPUTS - 1

    def settings(self) -> str:
        """What stands beside the Rules Submission."""
        times = f"poll_ms = {self.poll_ms}\ndebounce_ms = {self.debounce_ms}\nreply_ms = 30\nstale_ms = 250\n"
        rail = f'[devices.{RAIL}]\ndriver = "modbus"\nport = "{RAIL}"\nbaudrate = 115200\nsilence_ms = 0\n{times}'
        parts = [rail, *(self._board(number, id_) for number, id_ in enumerate(self.boards, start=1))]
        if self.shoe:
            # Of an Angel Eye, whose check has 8 bits, one copy on a noisy line may be of another card.
            copies = 2 if self.shoe == ANGEL_EYE else 1
            parts.append(f'[devices.{SHOE}]\ndriver = "{self.shoe}"\nport = "{SHOE}"\ncopies = {copies}\n')
        parts.extend(self._slots())
        journal = f'[journal]\npath = "{JOURNAL}"\nkeep_days = {KEEP_DAYS}\n'
        parts.append(f'{journal}[software]\nallow_unsigned = true\n[mqtt]\nhost = "127.0.0.1"\n')
        return "\n".join(parts)

    def _slots(self) -> list[str]:
        if not self.slots:
            return []
        right = self.slots[0].cents
        coins = {RIGHT_COIN: right, WRONG_COIN: right * WRONG_WORTH}
        return [
            f'[devices.{SLOTS}]\ndriver = "cctalk"\nport = "{SLOTS}"\n',
            *(
                f'[[devices.{SLOTS}.acceptors]]\nid = "{slot.id}"\naddress = {address}\n'
                f'position = {slot.position}\nwager = "{slot.wager}"\ncoins = {list(coins)}\n'
                for address, slot in enumerate(self.slots, start=FIRST_ADDRESS)
            ),
            "[devices.coins]\n" + "".join(f'{n} = "{cents // 100}.00"\n' for n, cents in coins.items()),
        ]

    def _board(self, address: int, id_: str) -> str:
        button, at = self.button
        inputs = [*self._places(id_, self.spots), *([f"{{ at = {at}, button = true }}"] if id_ == button else [])]
        lamps = self._places(id_, self.lamps)
        return (
            f'[[devices.{RAIL}.boards]]\nid = "{id_}"\naddress = {address}\n'
            f"inputs = [{', '.join(inputs)}]\nlamps = [{', '.join(lamps)}]\n"
        )

    @staticmethod
    def _places(board: str, spots: Iterable[Spot]) -> list[str]:
        mine = [spot for spot in spots if spot.board == board]
        return [f'{{ at = {each.input}, position = {each.position}, wager = "{each.wager}" }}' for each in mine]


def layout(chance: Random, name: str = "") -> Layout:
    """A table, by its name or by chance."""
    name = name or chance.choice(SUBMISSIONS)
    toml = resources.files(__package__).joinpath("tables", f"{name}.toml").read_text(encoding="utf-8")
    toml = toml.replace("mystery = { configuration = 1 }", f"mystery = {{ configuration = {chance.randint(1, 3)} }}")
    toml = toml.replace('{ paytable = "D",', f'{{ paytable = "{chance.choice("ABCCD")}",')
    filed: dict[str, Any] = decode(toml)
    wagers = tuple(each for each in _WAGERS if each in filed)
    places = [(position, wager) for position in range(1, filed["table"]["positions"] + 1) for wager in wagers]
    room = BOARD_INPUTS - 1
    boards = tuple(f"board-{number + 1}" for number in range(-(-len(places) // room)))
    lamps = tuple(Spot(*place, boards[at // room], at % room) for at, place in enumerate(places))
    poll_ms = chance.choice((25, 50))
    shoe, debounce_ms = chance.choice(("", "", TEXT_SHOE, ANGEL_EYE)), chance.choice((25, 50, 75))
    slotted = chance.sample(lamps, chance.choice((0, 1, 2)))
    slots = tuple(
        Slot(f"slot-{number}", each.position, each.wager, filed[each.wager]["denomination"] * 100)
        for number, each in enumerate(slotted, start=1)
    )
    return Layout(
        name=name,
        toml=toml,
        site=filed["table"]["site"],
        table=filed["table"]["id"],
        positions=filed["table"]["positions"],
        wagers=wagers,
        payout=filed["table"]["payout"],
        spots=tuple(each for each in lamps if each not in slotted),
        lamps=lamps,
        boards=boards,
        shoe=shoe,
        slots=slots,
        poll_ms=poll_ms,
        debounce_ms=debounce_ms,
    )
