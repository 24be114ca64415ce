"""The least that telling many signs can cost: one loop that sends every line it is given to every socket it has.

`python -m bench.curves.bare_sockets` prints its port. The first socket is who speaks, all others listen.
"""

import socket
import threading

from bench.brokers import LOOPBACK

MOST_BYTES = 1024 * 1024


def main() -> None:
    """Until who speaks is gone."""
    with socket.create_server((LOOPBACK, 0), backlog=512) as server:
        print(server.getsockname()[1], flush=True)
        speaker, _ = server.accept()
        listening: list[socket.socket] = []
        threading.Thread(target=_accept, args=(server, listening), daemon=True).start()
        while line := speaker.recv(MOST_BYTES):
            for each in tuple(listening):
                each.sendall(line)


def _accept(server: socket.socket, listening: list[socket.socket]) -> None:
    while True:
        found, _ = server.accept()
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listening.append(found)


if __name__ == "__main__":
    main()
