"""The disk of the power cuts loses what a disk may lose, all of it, and nothing that was synced."""

from itertools import count

from controller.simulation.disk_content import SECTOR, Choice, newest, oldest
from tests.crash.disk import Disk
from tests.crash.recorder import Kind, Operation

FOLDER, FILE = 1, 7  # inodes
A, B, C = (letter * SECTOR for letter in (b"a", b"b", b"c"))
ZERO = bytes(SECTOR)


def create(name: str = "f", inode: int = FILE) -> Operation:
    return Operation(Kind.CREATE, inode, 0, name, b"")


def write(data: bytes, offset: int = 0) -> Operation:
    return Operation(Kind.WRITE, FILE, offset, "", data)


def truncate(size: int) -> Operation:
    return Operation(Kind.TRUNCATE, FILE, size, "", b"")


def sync(inode: int = FILE) -> Operation:
    return Operation(Kind.SYNC, inode, 0, "", b"")


def rename(name: str, to: str) -> Operation:
    return Operation(Kind.RENAME, FILE, 0, name, to.encode())


def unlink(name: str) -> Operation:
    return Operation(Kind.UNLINK, 0, 0, name, b"")


SAFE = (create(), write(A + A), sync(), sync(FOLDER))


def counting(number: int) -> Choice:
    """The choices that write a number in the mixed base of the versions asked for."""
    left = number

    def choose(versions: int) -> int:
        nonlocal left
        left, chosen = divmod(left, versions)
        return chosen

    return choose


def outcomes(*operations: Operation, lies: int = 0) -> list[dict[str, bytes]]:
    """Every different way a cut can end, by trying all choices."""
    disk = Disk(lies=lies)
    for operation in operations:
        disk.apply(operation)
    everything = disk.after_a_cut(newest, newest).key
    found = {}
    for number in count():
        image = disk.after_a_cut(counting(number % 16), counting(number // 16))
        found[image.key] = image.files
        if number > 1000:
            break
    assert disk.after_a_cut(oldest, oldest).key in found
    assert everything in found
    return list(found.values())


def contents(*operations: Operation) -> set[bytes]:
    return {files["f"] for files in outcomes(*operations)}


def test_what_is_synced_stays() -> None:
    assert outcomes(*SAFE) == [{"f": A + A}]


def test_each_sector_is_old_or_new_on_its_own() -> None:
    assert contents(*SAFE, write(B + B)) == {A + A, A + B, B + A, B + B}


def test_a_sector_written_twice_may_be_as_it_was_in_between() -> None:
    assert contents(*SAFE, write(B), write(C)) == {A + A, B + A, C + A}


def test_part_of_a_sector_never_shows_without_the_rest() -> None:
    first, second = b"b" * 100, b"c" * 100
    rest = A[200:] + A
    assert contents(*SAFE, write(first), write(second, 100)) == {
        A + A,
        first + A[:100] + rest,
        first + second + rest,
    }


def test_a_file_may_be_longer_without_its_content_and_the_other_way_round() -> None:
    assert contents(*SAFE, write(B, 2 * SECTOR)) == {A + A, A + A + ZERO, A + A + B}


def test_a_truncation_happens_or_not() -> None:
    assert contents(*SAFE, truncate(0)) == {A + A, b""}
    assert contents(*SAFE, truncate(0), sync()) == {b""}


def test_what_is_written_after_a_truncation_takes_the_truncation_with_it() -> None:
    assert contents(*SAFE, truncate(0), write(B)) == {A + A, b"", ZERO, B}
    # Except below the cut.
    assert contents(*SAFE, truncate(SECTOR), write(B)) == {A + A, B + A, A, B}


def test_a_name_is_not_safe_before_its_folder_is() -> None:
    assert {} in outcomes(create(), write(A), sync())
    assert outcomes(create(), write(A), sync(), sync(FOLDER)) == [{"f": A}]


def test_a_rename_is_whole_and_may_be_undone() -> None:
    found = outcomes(*SAFE, rename("f", "g"))
    assert found == [{"f": A + A}, {"g": A + A}]


def test_a_name_removed_may_come_back_with_its_file() -> None:
    found = outcomes(*SAFE, unlink("f"), create(inode=FILE), write(C), sync())
    assert {"f": A + A} in found
    assert {} in found
    assert {"f": C} in found
    assert len(found) == 3


def test_a_liar_loses_what_was_synced() -> None:
    assert {"f": b""} in outcomes(*SAFE, lies=1)
    # One that lies at times: the sync after a lie makes up for it.
    assert {"f": b""} in outcomes(*SAFE, lies=2)
    assert outcomes(*SAFE, sync(), lies=2) == [{"f": A + A}]


def test_files_that_were_there_before_the_recording() -> None:
    disk = Disk({"f": A})
    for operation in (Operation(Kind.FIND, FILE, 0, "f", b""), write(B)):
        disk.apply(operation)
    assert disk.after_a_cut(oldest, oldest).files == {"f": A}
    assert disk.after_a_cut(newest, newest).files == {"f": B}
    assert disk.unsafe == 1
