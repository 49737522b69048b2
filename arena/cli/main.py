"""The command line of the arena: list, setup, run, report, compare, ratios, jobs, scaling.

Must not measure anything.
"""

import argparse
import os
import signal
import sys

from cli import (choosing, compare_command, jobs_command, list_command, machine, ratios_command,
                 report_command, run_command, scaling_command, setup_command)
from load.outcome import GeneratorFailed
from load.results import ResultsError
from load.server import ServerFailed

_COMMANDS = (list_command, setup_command, run_command, report_command, compare_command,
             ratios_command, jobs_command, scaling_command)
_REFUSALS = (choosing.Unknown, machine.BadCores, run_command.CannotRun,
             scaling_command.CannotScale, GeneratorFailed, ResultsError, ServerFailed)


def parser():
    """Returns a parser of all commands and their options."""
    top = argparse.ArgumentParser(
        prog="./arena/run", description="Compares Eider with bare loops and its peers, with "
        "every experiment that was published. First: ./arena/run run --quick && ./arena/run "
        "report. How it measures: arena/RULES.md")
    commands = top.add_subparsers(metavar="command", required=True)
    for command in _COMMANDS:
        command.add(commands)
    return top


def main():
    """Returns the command's exit status; 2 after an invalid call."""
    options = parser().parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # like Ctrl-C: cleans up
    try:
        return options.run(options)
    except _REFUSALS as refusal:
        print(f"arena: {refusal}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader has closed the pipe (| head)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


if __name__ == "__main__":
    sys.exit(main())
