"""Where the broker is, and how it is spoken to: `[mqtt]` of a configuration."""

from ipaddress import ip_address
from typing import Annotated

from msgspec import Meta, Struct

Seconds = Annotated[int, Meta(ge=0, le=3600)]
PortNumber = Annotated[int, Meta(ge=1, le=65_535)]


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class MqttSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The broker: `[mqtt]`."""

    host: str = "127.0.0.1"
    port: PortNumber | None = None  # 8883 with TLS, 1883 without
    tls: bool = False
    ca: str = ""  # the file of the CA that signed the broker's certificate; empty: those the system trusts
    certificate: str = ""  # our own, and
    key: str = ""  # its key, where the broker asks for them
    user: str = ""  # with the password from the credential `mqtt-password`
    grace_s: Seconds = 60  # how long play goes on without the broker; 0: not at all
    # Said in so many words, because everybody on the network could read, and change, what is said.
    allow_plain_text_over_the_network: bool = False

    def __post_init__(self) -> None:
        if bool(self.certificate) != bool(self.key):
            raise ValueError("certificate and key go together")
        if (self.ca or self.certificate) and not self.tls:
            raise ValueError("certificates are for TLS: set tls = true")
        if not self.tls and not self.allow_plain_text_over_the_network and not _is_loopback(self.host):
            raise ValueError(
                f"{self.host} is not this machine, and without TLS all could read and change what is said: "
                "set tls = true, or allow_plain_text_over_the_network = true"
            )

    def address(self) -> tuple[str, int]:
        """Where the broker is."""
        return self.host, self.port or (8883 if self.tls else 1883)
