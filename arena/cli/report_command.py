"""./arena/run report: writes report.html and report.md of a run.

Must not measure.
"""

import os
import sys

from load.results import ResultsError, latest
from peers.manifest import ARENA

RESULTS = ARENA / "results"


def add(commands):
    """Adds the command and its options."""
    parser = commands.add_parser("report", help="write the report of a run",
                                 description="Writes report.html and report.md into the folder.")
    parser.add_argument("folder", nargs="?", help="a folder of results (the newest)")
    parser.set_defaults(run=run)


def run(options):
    """Returns 0, or 1 and prints what is missing."""
    import report  # pylint: disable=import-outside-toplevel
    from report.results import ReportFailed  # pylint: disable=import-outside-toplevel
    try:
        for path in report.write(options.folder or latest(RESULTS)):
            print(os.path.relpath(path))
    except (ResultsError, ReportFailed, OSError) as failure:
        print(f"report: {failure}", file=sys.stderr)
        return 1
    return 0
