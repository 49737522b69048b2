"""`eider completions`: the shells themselves read them, and are asked what they would complete.

Must not need a terminal.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import BIN, run_to_end

SECONDS_MAX = 60


def said(shell, *words):
    """What that shell prints, which has `eider` in its PATH; an error fails."""
    environment = {**os.environ, 'PATH': f'{BIN}:{os.environ["PATH"]}'}
    ended = subprocess.run([shell, *words], text=True, check=False, env=environment,
                           capture_output=True, timeout=SECONDS_MAX)
    if ended.returncode != 0 or ended.stderr:
        raise AssertionError(f'{ended.returncode}: {ended.stdout}{ended.stderr}')
    return ended.stdout


class Completions(unittest.TestCase):
    def test_bash_completes_commands_actions_and_options(self):
        for words, wanted in ((('eider', 'be'), ['bench']),
                              (('eider', 'new', 'l'), ['library']),
                              (('eider', 'openapi', 'd'), ['document', 'diff']),
                              (('eider', 'fmt', '--ch'), ['--check']),
                              (('eider', 'routes', '--js'), ['--json']),
                              (('eider', 'db', 'status', '--js'), ['--json']),
                              (('eider', 'openapi', 'diff', '--js'), ['--json']),
                              (('eider', 'openapi', 'client', '--lang'), ['--language'])):
            line = ' '.join(f"'{word}'" for word in words)
            script = (f'source <(eider completions bash); COMP_WORDS=({line}); '
                      f'COMP_CWORD={len(words) - 1}; _eider; printf "%s\\n" "${{COMPREPLY[@]}}"')
            found = said('bash', '--norc', '-c', script).split()
            self.assertEqual(list(dict.fromkeys(found)), wanted, words)

    @unittest.skipUnless(shutil.which('fish'), 'fish is not installed')
    def test_fish_completes_commands_actions_and_options(self):
        for line, wanted in (('eider be', ['bench']), ('eider new libr', ['library']),
                             ('eider fmt --ch', ['--check'])):
            script = f'eider completions fish | source; complete -C "{line}"'
            found = [each.partition('\t')[0] for each in
                     said('fish', '--no-config', '-c', script).splitlines()]
            self.assertEqual([each for each in found if each in wanted], wanted, line)

    @unittest.skipUnless(shutil.which('zsh'), 'zsh is not installed')
    def test_zsh_completes_commands_actions_and_options(self):
        # compadd and _describe are what its completion calls; here they print.
        stubs = ('compadd() { shift; print -l -- $@ }; _files() { }; compdef() { }; '
                 '_describe() { print -l -- ${(P)2%%:*} }; ')
        with tempfile.TemporaryDirectory() as place:
            file = Path(place, '_eider')
            file.write_text(run_to_end('eider', 'completions', 'zsh')[1])
            for words, at, wanted in (('eider be', 2, 'bench'), ('eider new l', 3, 'library'),
                                      ('eider fmt --ch', 3, '--check')):
                script = (f'{stubs} source {file}; words=({words}); CURRENT={at}; _eider')
                self.assertIn(wanted, said('zsh', '-f', '-c', script).split(), words)

    def test_what_is_no_shell_is_told(self):
        more = '; eider completions --help tells more\n'
        self.assertEqual(run_to_end('eider', 'completions'), (
            2, 'eider completions: which shell? bash, zsh or fish' + more))
        self.assertEqual(run_to_end('eider', 'completions', 'tcsh'), (
            2, 'eider completions: there is nothing for tcsh, but for bash, zsh and fish' + more))


if __name__ == '__main__':
    unittest.main()
