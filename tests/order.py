"""In what order files are begun, and which folders a hurried run leaves out."""

# Whatever starts processes, opens pages or plays for seconds.
SLOW_FOLDERS = {"console", "crash", "demo", "documents", "link", "mosquitto", "outlets", "release", "service"}
SLOW_FOLDERS |= {"simulation", "soak", "systemd", "mutants"}

# Longest first, as measured with `pytest --durations=0`: a long file that begins last would run alone at the end. Those
# that are not here take less than a dozen seconds.
LONGEST = (
    "tests/mutants/test_found.py",
    "tests/link/test_cuts.py",
    "tests/console/test_crowd.py",
    "tests/crash/test_power_cut.py",
    "tests/console/test_contrast.py",
    "tests/console/test_floor.py",
    "tests/service/test_faults_broker.py",
    "tests/crash/test_daemon.py",
    "tests/console/test_hand.py",
    "tests/console/test_evening.py",
    "tests/console/test_audit.py",
    "tests/console/test_signage_shown.py",
    "tests/console/test_table_page.py",
    "tests/drivers/test_modbus.py",
    "tests/service/test_software.py",
    "tests/simulation/test_fresh_seeds.py",
    "tests/simulation/test_simulate.py",
    "tests/console/test_lost_replies.py",
    "tests/console/test_gone.py",
    "tests/soak/test_soak.py",
    "tests/documents/test_commands.py",
    "tests/service/test_faults_journal.py",
    "tests/console/test_felt.py",
    "tests/demo/test_demo.py",
    "tests/console/test_signage.py",
    "tests/console/test_attacks.py",
    "tests/link/test_faults.py",
    "tests/link/test_crowd.py",
    "tests/service/test_link.py",
    "tests/outlets/test_broker.py",
    "tests/console/test_live.py",
    "tests/service/test_table.py",
    "tests/release/test_building.py",
    "tests/service/test_faults_kill.py",
    "tests/demo/test_link.py",
    "tests/service/test_faults_stopping.py",
    "tests/journal/test_archiving_cut_off.py",
    "tests/documents/test_first_steps.py",
    "tests/service/test_faults_writers.py",
    "tests/console/test_forged.py",
    "tests/wire/test_traffic.py",
    "tests/link/test_sessions.py",
    "tests/release/test_debian.py",
    "tests/crash/test_kill.py",
    "tests/cli/test_devices.py",
    "tests/link/test_contract.py",
    "tests/link/test_days.py",
    "tests/drivers/test_cctalk.py",
    "tests/link/test_audit.py",
    "tests/service/test_faults_devices.py",
    "tests/commands/test_every_command.py",
    "tests/core/test_machine.py",
)
_PLACES = {file: place for place, file in enumerate(LONGEST)}


def place_of(file: str) -> int:
    """Where a file stands; those that are not named follow in their own order."""
    return _PLACES.get(file, len(_PLACES))
