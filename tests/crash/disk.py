"""The simulation's disk, fed with the operations of a recording."""

from collections.abc import Mapping

from controller.simulation.disk_content import File
from controller.simulation.disk_folder import Folder
from tests.crash.recorder import Kind, Operation


class Disk(Folder):
    """One folder. `apply` the operations of a recording in order; between any two, `after_a_cut`."""

    def __init__(self, files: Mapping[str, bytes] | None = None, *, lies: int = 0) -> None:
        super().__init__(files, lies=lies)
        self._by_inode = dict[int, File]()

    def apply(self, operation: Operation) -> None:
        """Do what was done."""
        match operation:
            case Operation(Kind.WRITE, inode, offset, _, data):
                self._by_inode[inode].write(offset, data)
            case Operation(Kind.TRUNCATE, inode, size):
                self._by_inode[inode].truncate(size)
            case Operation(Kind.SYNC, inode) if inode in self._by_inode:
                self.sync_file(self._by_inode[inode])
            case Operation(Kind.SYNC):  # no file: the folder
                self.sync()
            case _:
                self._apply_to_names(operation)

    def _apply_to_names(self, operation: Operation) -> None:
        match operation:
            case Operation(Kind.FIND, inode, _, name) if name:
                self._by_inode[inode] = self.names[name]
            case Operation(Kind.CREATE, inode, _, name):
                self._by_inode[inode] = self.create(name)  # also where a removed file had that inode
            case Operation(Kind.RENAME, inode, _, name, to):
                self.rename(name, to.decode(), self._by_inode[inode])
            case Operation(Kind.LINK, inode, _, name):
                self.link(name, self._by_inode[inode])
            case Operation(Kind.UNLINK, _, _, name):
                self.remove(name)
