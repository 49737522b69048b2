"""Checks one response from inside of a network namespace: run by slow.py through vpn.command().

Must not measure. Reads {"address", "port", "method", …} from its argument; returns 1 and prints one
line to standard output if the response is wrong.
"""

import base64
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
from verify import answers
from verify.framing import WrongAnswer


def argument(address, port, request, expected, required):
    """Returns the argument of main() as one word."""
    return json.dumps({
        "address": address, "port": port, "request": base64.b64encode(request).decode(),
        "body": base64.b64encode(expected.body).decode(), "content_type": expected.content_type,
        "closes": expected.closes, "is_object": expected.is_object,
        "is_announced": expected.is_announced, "required": sorted(required)})


def main():
    """Returns 0 if the response is correct."""
    told = json.loads(sys.argv[1])
    expected = answers.Expected(base64.b64decode(told["body"]), told["content_type"],
                                told["closes"], told["is_object"], told["is_announced"])
    try:
        answers.check(told["port"], base64.b64decode(told["request"]), 1, expected, True,
                      told["required"], told["address"])
    except (WrongAnswer, OSError) as failure:
        print(str(failure) or type(failure).__name__)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
