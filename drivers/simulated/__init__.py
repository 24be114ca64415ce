"""The devices' side of each protocol, on pseudo-terminals: for tests, the demonstration and a technician's bench."""
