"""The rules of layers.txt are read strictly and held to."""

import unittest

import layers

RULES = layers.read_rules('base:\nhttp: base\nhttp/h1: base http\nserver: base http http/h1\n'
                          'testkit: base server server/detail # for tests\n')


class Rules(unittest.TestCase):
    def test_a_line_that_is_no_rule_is_refused(self):
        for text in ('base', 'a:\na:', 'a: nowhere'):
            with self.assertRaises(ValueError, msg=text):
                layers.read_rules(text)

    def test_a_ring_is_found(self):
        self.assertEqual(layers.cycle_in({'a': {'b'}, 'b': {'a'}}), ['a', 'b', 'a'])
        self.assertEqual(layers.cycle_in(RULES), [])

    def test_the_longest_folder_is_the_layer(self):
        self.assertEqual(layers.layer_of('http/h1/detail/x.h', RULES), 'http/h1')
        self.assertEqual(layers.layer_of('http/x.h', RULES), 'http')
        self.assertIsNone(layers.layer_of('new/x.h', RULES))


class Includes(unittest.TestCase):
    def test_down_and_within_is_allowed(self):
        for name, included in (('http/a.h', 'base/b.h'), ('http/a.h', 'http/detail/b.h'),
                               ('testkit/a.cc', 'server/detail/b.h'),
                               ('http/a_test.cc', 'testkit/t.h'), ('http/a_test.cc', 'eider.h'),
                               ('http/a_test.cc', 'server/s.h')):
            self.assertIsNone(layers.fault_of(name, included, RULES), (name, included))

    def test_up_sideways_and_into_anothers_detail_is_not(self):
        for name, included in (('base/a.h', 'http/b.h'), ('http/a.h', 'http/h1/b.h'),
                               ('http/a_test.cc', 'http/h1/b.h'),
                               ('server/a.h', 'http/detail/b.h'),
                               ('new/a.h', 'base/b.h'), ('server/a.h', 'eider.h')):
            self.assertIsNotNone(layers.fault_of(name, included, RULES), (name, included))


if __name__ == '__main__':
    unittest.main()
