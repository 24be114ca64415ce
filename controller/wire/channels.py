"""Every topic of a table, what is said there, and how: one table, from which schemas and documents are made."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from controller.rules.errors import BadInputError
from controller.wire import topics
from controller.wire.commands import REPLIES, REQUESTS
from controller.wire.messages import Award, Device, Events, Head, Meter, Proof, Round, Status


class UnknownTopicError(BadInputError):
    """A topic where a table says nothing."""


class Channel(NamedTuple):
    """A topic, or many of one form."""

    name: str
    address: str  # below the table's base, with {parameters}
    types: tuple[type[Struct], ...]  # a message is of one of them
    about: str
    retained: bool = True
    emptied: bool = False  # a message without a byte says that it is gone


STATES = (
    Channel("status", topics.STATUS, (Status,), "Whether the controller is there: when it changes and every 2 s."),
    Channel("meters", topics.meter("{meter}"), (Meter,), "What a meter shows.", emptied=True),
    Channel("round", topics.ROUND, (Round,), "The round, its phase, and all lamps."),
    Channel(
        "awards",
        topics.award("{award}"),
        (Award,),
        "An award that waits for its validation. Emptied when it is validated or rejected.",
        emptied=True,
    ),
    Channel(
        "proofs",
        topics.proof("{meter}"),
        (Proof,),
        "What a mystery meter has committed to, and what it has revealed.",
        emptied=True,
    ),
    Channel("devices", topics.device("{device}"), (Device,), "How a device is.", emptied=True),
    Channel(
        "journal-head", topics.HEAD, (Head,), "The end of the journal's chain, every hundred facts and on the hour."
    ),
    Channel("events", topics.EVENTS, (Events,), "Facts, one message for each commit, in order.", retained=False),
)
COMMANDS = {
    name: Channel(
        f"commands-{name}",
        topics.command("{client}", name),
        (type_,),
        (type_.__doc__ or "").partition("\n")[0],
        retained=False,
    )
    for name, type_ in REQUESTS.items()
}
REPLY = Channel(
    "replies",
    topics.reply("{client}", "{id}"),
    tuple(dict.fromkeys(REPLIES.values())),
    "The answer to a command, for the client that sent it and nobody else.",
    retained=False,
)
CHANNELS = (*STATES, *COMMANDS.values(), REPLY)
PARAMETERS = {
    "site": "`site` of the table's configuration.",
    "table": "`id` of the table's configuration.",
    "meter": "A meter's id, like `royal9-mega`.",
    "award": "`<table>-<seq>-<n>`: the fact that made the award, and its number within that fact.",
    "device": "A device's name in the configuration; `link-` and its name for a link.",
    "client": "The MQTT user that asks. The broker's ACL lets each use its own name alone.",
    "id": "`id` of the request.",
}


def parameters(address: str) -> Iterable[str]:
    """The names of the parts of an address that differ."""
    return re.findall(r"\{(\w+)\}", address)


def channel_of(topic: str) -> Channel:
    """The channel a topic belongs to, given whole or from the table's base on."""
    below = re.sub(r"^jackpot/[^/]+/[^/]+/", "", topic)
    for channel in CHANNELS:
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/+#]+", channel.address), below):
            return channel
    raise UnknownTopicError(f"{topic}: a table says nothing there; see docs/asyncapi.yaml for its topics")
