"""The readers of both wires, on bytes out of the specifications and in any pieces."""

import pytest

from tests.crash.wires import Coils, ModbusWire, MqttWire, Published

# "MODBUS Application Protocol" 6.11: ten coils from coil 20 on, CD 01; at address 17. The checksum by hand.
TEN_COILS = bytes.fromhex("11 0F 0013 000A 02 CD01 BF0B")
READING = bytes.fromhex("11 01 0013 0025 0E84")
CONNECT = bytes.fromhex("10 0C 0004 4D515454 04 02 003C 0000")
RETAINED = bytes.fromhex("33 0A 0003 612F62 0001 010203")  # QoS 1, "a/b"
ONCE = bytes.fromhex("30 05 0003 612F62")
LONG = bytes([0x32, 0x87, 0x01, 0x00, 0x03]) + b"a/b\x00\x02" + b"x" * 128  # 135 bytes follow: two bytes of length


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize("size", [1, 3, 100])
def test_coils_are_read_among_questions(size: int) -> None:
    wire = ModbusWire()
    found = [each for piece in pieces(READING + TEN_COILS + READING, size) for each in wire.take(piece)]
    assert found == [Coils(17, 19, (True, False, True, True, False, False, True, True, True, False))]


@pytest.mark.parametrize("wrong", [TEN_COILS[:-1] + b"\0", bytes.fromhex("11 63 0013")])
def test_what_is_no_frame_is_an_error(wrong: bytes) -> None:
    with pytest.raises(ValueError, match=r"checksum|question"):
        list(ModbusWire().take(wrong))


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_messages_are_read_among_packets(size: int) -> None:
    wire = MqttWire()
    said = CONNECT + RETAINED + b"\xc0\x00" + ONCE + LONG
    found = [each for piece in pieces(said, size) for each in wire.take(piece)]
    assert found == [
        Published("a/b", b"\1\2\3", retain=True),
        Published("a/b", b"", retain=False),
        Published("a/b", b"x" * 128, retain=False),
    ]
