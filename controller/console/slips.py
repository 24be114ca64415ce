"""The QR code of a jackpot slip: the award's id, and the fact in the journal that vouches for it.

`jackpotd audit verify --head` takes the second half as it is.
"""

import io
from base64 import b64encode
from typing import Any

import segno

BORDER = 2  # modules of white around it; on white paper that is enough
SCALE = 4


def text(slip: dict[str, Any]) -> str:
    """What the code says, like `mb-07-214-1 219:9d5ed678…`."""
    return f"{slip['award']} {slip['seq']}:{slip['hash']}"


def picture(slip: dict[str, Any]) -> str:
    """The code as an address of an image that needs no other request."""
    out = io.BytesIO()
    segno.make(text(slip), error="m", micro=False).save(
        out, kind="svg", scale=SCALE, border=BORDER, xmldecl=False, svgns=True, nl=False, light="#fff"
    )
    return f"data:image/svg+xml;base64,{b64encode(out.getvalue()).decode()}"


def with_picture(name: str, reply: dict[str, Any]) -> dict[str, Any]:
    """A reply to `validate` or `print-slip`, with the code beside the slip."""
    if name in ("validate", "print-slip") and reply.get("ok") and isinstance(reply.get("slip"), dict):
        return {**reply, "qr": picture(reply["slip"])}
    return reply
