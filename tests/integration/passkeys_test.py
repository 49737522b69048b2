"""A program with passkeys compared with another relying party (py_webauthn): both must agree."""

import json
import subprocess
import unittest

from support import ROOT, Program, make_environment

# The cases that must be accepted, for each algorithm. All others must be rejected.
GOOD = {'registration: none', 'registration: packed', 'registration: eligible',
        'registration: copied'}
GOOD |= {f'registration by {algorithm}' for algorithm in (-7, -8, -257)}
GOOD |= {f'login by {algorithm}: {case}' for algorithm in (-7, -8, -257)
         for case in ('again', 'at last')}
CASES = 12 + 3 * 13


class Passkeys(unittest.TestCase):
    def test_judges_as_another_relying_party_does(self):
        python = make_environment('passkeys') / 'bin/python3'
        program = Program('23_passkeys', '--port', '{port}')
        program.command += ['--origin', f'http://localhost:{program.port}']
        with program:
            script = ROOT / 'tests/integration/passkeys_oracle.py'
            ended = subprocess.run([python, script, str(program.port)], capture_output=True,
                                   text=True, check=False, timeout=120)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertEqual(program.stop(), 0)
        lines = [json.loads(line) for line in ended.stdout.splitlines()]
        self.assertEqual(len(lines), CASES)
        for line in lines:
            with self.subTest(line['case']):
                self.assertEqual(line['ours'], line['case'] in GOOD)
                self.assertEqual(line['theirs'], line['case'] in GOOD)


if __name__ == '__main__':
    unittest.main()
