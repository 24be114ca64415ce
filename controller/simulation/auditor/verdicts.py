"""What an auditor can find wrong, each kind by its name, with the place in the history that shows it."""

from dataclasses import dataclass

# Every kind of verdict, and what it says.
KINDS = {
    "chain": "the journal is not the chain that was committed",
    "forgotten": "what was acknowledged is not in the journal",
    "early": "it was told before it was durable",
    "regress": "epoch or number goes back",
    "contribution-missing": "a wager's contribution is missing",
    "contribution-doubled": "a wager's contribution is there twice",
    "contribution-wrong": "a contribution is not the wager times its rate",
    "rounded": "fractions of a cent are gone",
    "overshoot": "what was above an award is gone",
    "ceiling": "a meter is above the amount it must hit by",
    "hit-missing": "the value was passed without a hit",
    "hit-unfounded": "a hit without the value passed",
    "redrawn": "a mystery value was changed within its cycle",
    "undrawn": "a mystery value that chance never drew, or a reveal that does not fit its commitment",
    "reserve": "money of a reserve is lost or made",
    "carry": "carried money is lost or made",
    "award": "an award is missing, must not be, or is of another amount",
    "paid-twice": "an award is paid twice",
    "people": "done by people who may not, or not alone",
    "phase": "done at a time when it must not be",
    "books": "the accounts are not what they must be",
    "display": "a display shows what no durable state explains",
    "fall": "a display falls without a hit or a correction",
    "lamp": "a lamp shows what no durable state explains",
    "late-bet": "a wager is in whose chip came after the button",
    "unfounded-wager": "a wager stands where no chip lay",
    "credit": "a coin is counted twice, was never dropped, or is lost",
    "missed-press": "a press, long and clear, led to nothing",
    "unfounded-press": "a press is in the journal, and nobody touched the button",
    "missed-wager": "a wager that stood long and clear before the button is not in",
    "unsaid": "someone heard what was never said",
    "untold": "facts are left out of the events",
    "asked": "a fact is not what was asked for, or not by whom, or not when",
    "reply": "a reply says something else than its fact",
    "reading": "a gaming day ends wrong, or its readings are",
    "time": "a fact has another time than the clock had",
    "secret": "a mystery value is told before its hit",
    "nonce": "a nonce is used twice",
    "slot-open": "a drop slot takes coins that can be no wager",
    "unnoticed": "a device is gone, and nobody says so",
    "cards": "the cards of a round are not those that were dealt or keyed",
}


@dataclass(frozen=True)
class Verdict:
    """Something wrong."""

    kind: str
    at: int  # microseconds of the run, as far as they are known
    why: str
    seq: int = 0  # the fact of the journal that shows it

    def __str__(self) -> str:
        where = f" (fact {self.seq})" if self.seq else ""
        return f"{self.at / 1_000_000:.6f} s: {self.kind}: {KINDS[self.kind]}{where}: {self.why}"
