"""`eider completions`: the shells read them, and complete with them.

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
    """Returns the output of that shell, with `eider` in its PATH; an error fails the test."""
    environment = {**os.environ, 'PATH': f'{BIN}:{os.environ["PATH"]}'}
    ended = subprocess.run([shell, *words], text=True, check=False, env=environment,
                           capture_output=True, timeout=SECONDS_MAX)
    if ended.returncode != 0 or ended.stderr:
        raise AssertionError(f'{ended.returncode}: {ended.stdout}{ended.stderr}')
    return ended.stdout


def bash_completes(*words):
    """Returns the completions of the last word, which may be empty."""
    line = ' '.join(f"'{word}'" for word in words)
    return said('bash', '--norc', '-c',
                f'source <(eider completions bash); COMP_WORDS=({line}); '
                f'COMP_CWORD={len(words) - 1}; _eider; printf "%s\\n" "${{COMPREPLY[@]}}"').split()


def fish_completes(*words):
    script = f'eider completions fish | source; complete -C "{" ".join(words)}"'
    with tempfile.TemporaryDirectory() as empty:  # without files, which it would suggest, too
        lines = said('fish', '--no-config', '-c', f'cd {empty}; {script}').splitlines()
    return [line.partition('\t')[0] for line in lines]


def zsh_completes(*words):
    # The completion calls compadd and _describe; here they print.
    stubs = ('compadd() { shift; print -l -- $@ }; _files() { }; compdef() { }; '
             '_describe() { print -l -- ${(P)2%%:*} }; ')
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, '_eider')
        file.write_text(run_to_end('eider', 'completions', 'zsh')[1])
        line = ' '.join(f"'{word}'" for word in words)
        return said('zsh', '-f', '-c', f'{stubs} source {file}; words=({line}); '
                    f'CURRENT={len(words)}; _eider').split()


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
            self.assertEqual(bash_completes(*words), wanted, words)

    @unittest.skipUnless(shutil.which('fish'), 'fish is not installed')
    def test_fish_completes_commands_actions_and_options(self):
        for words, wanted in ((('eider', 'be'), ['bench']),
                              (('eider', 'new', 'libr'), ['library']),
                              (('eider', 'new', 'library', ''), []),
                              (('eider', 'db', 'new', ''), []),
                              (('eider', 'fmt', '--ch'), ['--check']),
                              (('eider', 'openapi', 'diff', '--js'), ['--json'])):
            self.assertEqual(fish_completes(*words), wanted, words)

    @unittest.skipUnless(shutil.which('zsh'), 'zsh is not installed')
    def test_zsh_completes_commands_actions_and_options(self):
        for words, wanted in ((('eider', 'be'), 'bench'), (('eider', 'new', 'l'), 'library'),
                              (('eider', 'fmt', '--ch'), '--check')):
            self.assertIn(wanted, zsh_completes(*words), words)

    def test_no_shell_is_told_a_word_twice(self):
        commands = bash_completes('eider', '')
        self.assertIn('bench', commands)
        shells = {'bash': bash_completes, 'fish': fish_completes, 'zsh': zsh_completes}
        for shell, completes in shells.items():
            if not shutil.which(shell):
                continue
            for words in ([''], *([name, word] for name in commands for word in ('', '--'))):
                found = completes('eider', *words)
                self.assertEqual(sorted(found), sorted(set(found)), (shell, words))

    def test_what_is_no_shell_is_told(self):
        more = '; see eider completions --help\n'
        self.assertEqual(run_to_end('eider', 'completions'), (
            2, 'eider completions: no shell given: use bash, zsh or fish' + more))
        self.assertEqual(run_to_end('eider', 'completions', 'tcsh'), (
            2, 'eider completions: unknown shell tcsh: use bash, zsh or fish' + more))


if __name__ == '__main__':
    unittest.main()
