"""Pretty-printers for gdb: tasks, JSON values, validated values, and types with a text.

Load it with `source PATH/eider_gdb.py`. A program needs full debug information (-g), and from clang
also -fstandalone-debug; the preset `debug` of `eider new` has both.
"""

import re
import uuid

import gdb
import gdb.printing

# Kinds of eider::json::Value, in the order of the alternatives of its variant.
JSON_KINDS = ('null', 'bool', 'signed', 'unsigned', 'real', 'string', 'array', 'object')


def at(value, kind):
    """Returns the bytes of a value as a value of another type."""
    return value.address.cast(kind.pointer()).dereference()


def pointer_in(value):
    """Returns the pointer that a smart pointer or a handle begins with."""
    return at(value, gdb.lookup_type('void').pointer())


def size_of(vector):
    """Returns the number of elements of a std::vector, from its pointers alone."""
    return int(vector['_M_impl']['_M_finish'] - vector['_M_impl']['_M_start'])


def elements_of(vector):
    """Yields the elements of a std::vector. gdb stops early, by its limit for elements."""
    item = vector['_M_impl']['_M_start']
    for _ in range(size_of(vector)):
        yield item.dereference()
        item += 1


def text_of(string):
    """Returns the text of a std::string."""
    data = string['_M_dataplus']['_M_p']
    return data.string('utf-8', 'replace', int(string['_M_string_length']))


class JsonPrinter:
    """Prints an eider::json::Value as the value in it: a scalar, an array or a map."""

    def __init__(self, value):
        variant = value['content_']
        index = int(variant['_M_index'])
        self.kind = JSON_KINDS[index] if index < len(JSON_KINDS) else None
        if self.kind is None:
            return
        alternative = variant.type.strip_typedefs().template_argument(index)
        self.content = at(variant, alternative.strip_typedefs())

    def to_string(self):
        """Returns the scalar, or the kind of the container with its size."""
        if self.kind is None:
            return 'invalid: not constructed yet, or destroyed'
        if self.kind == 'null':
            return 'null'
        if self.kind in ('array', 'object'):
            return f'{self.kind} of {size_of(self.content)}'
        return self.content

    def children(self):
        """Yields the elements, or the name and the value of each member."""
        if self.kind == 'array':
            for index, element in enumerate(elements_of(self.content)):
                yield f'[{index}]', element
        elif self.kind == 'object':
            for index, field in enumerate(elements_of(self.content)):
                yield f'name {index}', field['name']
                yield f'value {index}', field['value']

    def display_hint(self):
        """Returns how gdb writes the children."""
        return {'array': 'array', 'object': 'map'}.get(self.kind)


class TaskPrinter:
    """Prints an eider::Task: its coroutine, its state and its result."""

    def __init__(self, value):
        self.frame = pointer_in(value['handle_'])
        self.promise = None
        if self.frame != 0:
            # The frame begins with two functions, resume and destroy; the promise follows.
            self.resume, self.destroy = (
                (self.frame.cast(gdb.lookup_type('long').pointer()) + index).dereference()
                for index in range(2))
            kind = value['handle_'].type.strip_typedefs().template_argument(0)
            alignment = max(kind.alignof, 1)
            word_bytes = self.frame.type.sizeof
            offset = (2 * word_bytes + alignment - 1) // alignment * alignment
            self.promise = (self.frame.cast(gdb.lookup_type('char').pointer()) + offset).cast(
                kind.pointer()).dereference()

    def coroutine(self):
        """Returns the name of the coroutine, from the symbol of its destroy function."""
        found = gdb.execute(f'info symbol {int(self.destroy)}', to_string=True)
        name = re.split(r' in section | \+ \d+| \[clone| ?\(?\.(?:destroy|cleanup)\b', found)[0]
        # g++ adds the frame as a parameter: name(name(int)::_Z4namei.Frame*).
        name = re.sub(r'^(.+)\((\1\(.*\))::_Z[\w.$]*Frame ?\*\)$', r'\2', name.strip())
        return name or f'coroutine at {self.frame}'

    def state(self):
        """Returns where in its life the coroutine is."""
        if self.resume == 0:
            return 'done'
        if pointer_in(self.promise['continuation_']) == 0:
            return 'not started'
        return 'waiting or running'

    def to_string(self):
        """Returns one line."""
        return ('empty task' if self.promise is None else
                f'task {self.coroutine()}, {self.state()}, frame {self.frame}')

    def children(self):
        """Yields the result or the exception of a task that is done."""
        if self.promise is None or self.resume != 0:
            return
        names = {field.name for field in self.promise.type.fields()}
        # A Task<void> has no result, only an exception.
        outcome = int(self.promise['outcome_']) if 'outcome_' in names else None
        if outcome == 1:
            union = next(field for field in self.promise.type.fields()
                         if not field.name and not field.is_base_class)
            yield 'result', self.promise[union]['value_']
        elif outcome == 2 or (outcome is None and pointer_in(self.promise['exception_']) != 0):
            yield 'ended by', 'an exception'


class TextPrinter:
    """Prints a value as the text, or the other value, that a function makes of it."""

    def __init__(self, make, value=None):
        self.make = make
        self.value = value

    def __call__(self, value):
        return TextPrinter(self.make, value)

    def to_string(self):
        """Returns the text, or a value that gdb prints by its type."""
        return self.make(self.value)


def nullable(value):
    """Returns `absent`, `null`, or the value."""
    optional = value['value_']
    payload = optional['_M_payload']
    if payload['_M_engaged']:
        return at(optional, value.type.strip_typedefs().template_argument(0))
    return 'null' if value['is_null_'] else 'absent'


def short_text(value):
    """Returns the text in an eider::ShortText."""
    return value['bytes_'].address.cast(gdb.lookup_type('char').pointer()).string(
        'utf-8', 'replace', int(value['size_']))


def uuid_text(value):
    """Returns the 36 characters of an eider::Uuid."""
    return str(uuid.UUID(bytes=bytes(
        gdb.selected_inferior().read_memory(int(value.address), 16))))


def decimal_text(value):
    """Returns an eider::Decimal with its decimal point."""
    number, scale = int(value['unscaled_']), int(value['scale_'])
    digits = str(abs(number)).rjust(scale + 1, '0')
    point = len(digits) - scale
    return ('-' if number < 0 else '') + digits[:point] + ('.' + digits[point:] if scale else '')


def error_text(value):
    """Returns the status and the detail of an eider::Error."""
    said = pointer_in(value['said_'])
    if said == 0:
        return f'error {int(value["status_"])}, moved from'
    detail = said.cast(gdb.lookup_type('std::string').strip_typedefs().pointer()).dereference()
    return f'error {int(value["status_"])}: {text_of(detail)}'


def secret_text(value):
    """Returns whether there is a secret, and never the secret."""
    return 'empty secret' if pointer_in(value['text_']) == 0 else 'secret'


PRINTERS = (
    ('task', r'^eider::Task<.*>$', TaskPrinter),
    ('json', r'^eider::json::Value$', JsonPrinter),
    ('validated', r'^eider::Validated<.*>$', TextPrinter(lambda value: value['value_'])),
    ('trimmed', r'^eider::Trimmed$', TextPrinter(lambda value: value['text_'])),
    ('nullable', r'^eider::Nullable<.*>$', TextPrinter(nullable)),
    ('short_text', r'^eider::ShortText$', TextPrinter(short_text)),
    ('uuid', r'^eider::Uuid$', TextPrinter(uuid_text)),
    ('decimal', r'^eider::Decimal$', TextPrinter(decimal_text)),
    ('error', r'^eider::Error$', TextPrinter(error_text)),
    ('secret', r'^eider::Secret$', TextPrinter(secret_text)),
)


def register():
    """Adds the printers to gdb, instead of those of an earlier call."""
    printers = gdb.printing.RegexpCollectionPrettyPrinter('eider')
    for name, pattern, printer in PRINTERS:
        printers.add_printer(name, pattern, printer)
    gdb.printing.register_pretty_printer(None, printers, replace=True)


register()
