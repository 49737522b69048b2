"""python3 -m report DIR: writes report.html and report.md into a results folder.

Must not choose a folder by itself: that is for ./arena/run report.
"""

import argparse
import sys

import report
from report.results import ReportFailed


def main():
    """Status 0, or 1 with one line on standard error."""
    parser = argparse.ArgumentParser(prog="python3 -m report", description=__doc__.split("\n")[0])
    parser.add_argument("folder", help="where run.json and samples.jsonl are")
    try:
        for path in report.write(parser.parse_args().folder):
            print(path)
    except (ReportFailed, OSError) as failure:
        print(f"report: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
