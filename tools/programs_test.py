"""What the test run tells of a fuzzer that failed.

Must not run a fuzzer: the lines are written here.
"""

import unittest

from parts import programs

OUTPUT = """INFO: Seed: 1
#2\tINITED cov: 318 ft: 556 corp: 10/400b exec/s: 0 rss: 50Mb
#30\tREDUCE cov: 338 ft: 845 corp: 91/2690b lim: 137 exec/s: 5461 rss: 198Mb
\tNEW_FUNC[1/1]: 0x56158f01ba20
url_fuzz.cc:89: broken assertion: pieces end as the whole does
SUMMARY: libFuzzer: deadly signal
"""


class Fuzzers(unittest.TestCase):
    def test_the_fault_is_told_and_not_the_way_to_it(self):
        self.assertEqual(programs.without_progress(OUTPUT).splitlines(),
                         ['INFO: Seed: 1',
                          'url_fuzz.cc:89: broken assertion: pieces end as the whole does',
                          'SUMMARY: libFuzzer: deadly signal'])


if __name__ == '__main__':
    unittest.main()
