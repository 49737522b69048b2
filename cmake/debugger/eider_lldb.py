"""Summaries for lldb: tasks, JSON values, validated values, and types with a text.

Load it with `command script import PATH/eider_lldb.py`. A program needs full debug information
(-g), and from clang also -fstandalone-debug; the preset `debug` of `eider new` has both.
"""

import re
import uuid

import lldb

# Kinds of eider::json::Value, in the order of the alternatives of its variant.
JSON_KINDS = ('null', 'bool', 'signed', 'unsigned', 'real', 'string', 'array', 'object')
# The largest number of elements or members in a summary, and of levels.
ELEMENTS_MAX = 20
DEPTH_MAX = 6


def word_at(process, address):
    """Returns the pointer at an address, or 0 if it cannot be read."""
    error = lldb.SBError()
    word = process.ReadPointerFromMemory(address, error)
    return word if error.Success() else 0


def pointer_in(value):
    """Returns the pointer that a smart pointer or a handle begins with."""
    return word_at(value.GetProcess(), value.GetLoadAddress())


def member(value, *names):
    """Returns a member of a member, past the synthetic children of lldb."""
    for name in names:
        value = value.GetNonSyntheticValue().GetChildMemberWithName(name)
    return value


def text_of(string):
    """Returns the text of a std::string."""
    size = member(string, '_M_string_length').GetValueAsUnsigned()
    start = member(string, '_M_dataplus', '_M_p').GetValueAsUnsigned()
    if size == 0:
        return ''
    error = lldb.SBError()
    data = string.GetProcess().ReadMemory(start, size, error)
    return data.decode('utf-8', 'replace') if error.Success() else f'unreadable text at {start:#x}'


def quoted(text):
    """Returns a text as it is written in a source."""
    return '"' + text.replace('\\', '\\\\').replace('"', '\\"').replace('\n', '\\n') + '"'


def elements_of(vector):
    """Yields the first elements of a std::vector."""
    start, end = (member(vector, '_M_impl', name) for name in ('_M_start', '_M_finish'))
    kind = start.GetType().GetPointeeType()
    first, size = start.GetValueAsUnsigned(), kind.GetByteSize()
    count = (end.GetValueAsUnsigned() - first) // size if size else 0
    for index in range(min(count, ELEMENTS_MAX)):
        yield vector.CreateValueFromAddress(f'[{index}]', first + index * size, kind)


def shown(value):
    """Returns a value in one line: its summary, or else its number."""
    if value.GetType().GetCanonicalType().GetName().startswith('std::__cxx11::basic_string<char'):
        return quoted(text_of(value))
    return value.GetSummary() or value.GetValue() or f'a {value.GetTypeName()}'


def json_text(value, depth=0):
    """Returns an eider::json::Value as JSON."""
    variant = member(value, 'content_')
    index = member(variant, '_M_index').GetValueAsUnsigned()
    kind = JSON_KINDS[index] if index < len(JSON_KINDS) else 'invalid'
    if kind in ('null', 'invalid'):
        return kind
    alternative = variant.GetType().GetCanonicalType().GetTemplateArgumentType(index)
    content = variant.CreateValueFromAddress(kind, variant.GetLoadAddress(),
                                             alternative.GetCanonicalType())
    if kind in ('array', 'object') and depth == DEPTH_MAX:
        return '…'
    if kind == 'array':
        parts = [json_text(element, depth + 1) for element in elements_of(content)]
        return f'[{", ".join(parts)}{", …" if len(parts) == ELEMENTS_MAX else ""}]'
    if kind == 'object':
        parts = [f'{quoted(text_of(member(field, "name")))}: '
                 f'{json_text(member(field, "value"), depth + 1)}'
                 for field in elements_of(content)]
        return f'{{{", ".join(parts)}{", …" if len(parts) == ELEMENTS_MAX else ""}}}'
    return shown(content)


def coroutine_name(value, destroy):
    """Returns the name of a coroutine, from the symbol of its destroy function."""
    symbol = value.GetTarget().ResolveLoadAddress(destroy).GetSymbol()
    name = re.split(r' \[clone| ?\(?\.(?:destroy|cleanup)\b', symbol.GetName() or '')[0]
    # g++ adds the frame as a parameter: name(name(int)::_Z4namei.Frame*).
    name = re.sub(r'^(.+)\((\1\(.*\))::_Z[\w.$]*Frame ?\*\)$', r'\2', name)
    return name or f'coroutine at {destroy:#x}'


def result_text(promise):
    """Returns the result of a task that is done, with a sign before it."""
    outcome = member(promise, 'outcome_')
    if not outcome.IsValid():  # a Task<void> has no result, only an exception
        return ', an exception' if pointer_in(member(promise, 'exception_')) else ''
    if outcome.GetValueAsUnsigned() == 2:
        return ', an exception'
    if outcome.GetValueAsUnsigned() != 1:
        return ''
    # The result is in a union without a name, which lldb does not search by the member's name.
    union = next(child for child in promise.children if not child.GetName())
    return f' = {shown(union.GetChildAtIndex(0))}'


def task_text(value):
    """Returns the coroutine, the state and the result of an eider::Task."""
    handle = member(value, 'handle_')
    frame, process = pointer_in(handle), value.GetProcess()
    if frame == 0:
        return 'empty task'
    # The frame begins with two functions, resume and destroy; the promise follows.
    word = process.GetAddressByteSize()
    resume, destroy = (word_at(process, frame + index * word) for index in range(2))
    kind = handle.GetType().GetCanonicalType().GetTemplateArgumentType(0)
    # SBType has no alignment before lldb 20. A result that needs more than two words is rare.
    promise = value.CreateValueFromAddress('promise', frame + 2 * word, kind)
    if resume == 0:
        state = 'done' + result_text(promise)
    elif pointer_in(member(promise, 'continuation_')) == 0:
        state = 'not started'
    else:
        state = 'waiting or running'
    return f'task {coroutine_name(value, destroy)}, {state}'


def nullable_text(value):
    """Returns `absent`, `null`, or the value."""
    optional = member(value, 'value_')
    if member(optional, '_M_payload', '_M_engaged').GetValueAsUnsigned():
        kind = value.GetType().GetCanonicalType().GetTemplateArgumentType(0)
        return shown(value.CreateValueFromAddress('value', optional.GetLoadAddress(), kind))
    return 'null' if member(value, 'is_null_').GetValueAsUnsigned() else 'absent'


def bytes_of(value, size):
    """Returns the first bytes of a value."""
    error = lldb.SBError()
    return value.GetProcess().ReadMemory(value.GetLoadAddress(), size, error) or b''


def short_text(value):
    """Returns the text in an eider::ShortText."""
    size = member(value, 'size_').GetValueAsUnsigned()
    return quoted(bytes_of(value, size).decode('utf-8', 'replace') if size else '')


def uuid_text(value):
    """Returns the 36 characters of an eider::Uuid."""
    return str(uuid.UUID(bytes=bytes_of(value, 16)))


def decimal_text(value):
    """Returns an eider::Decimal with its decimal point."""
    number = member(value, 'unscaled_').GetValueAsSigned()
    scale = member(value, 'scale_').GetValueAsUnsigned()
    digits = str(abs(number)).rjust(scale + 1, '0')
    point = len(digits) - scale
    return ('-' if number < 0 else '') + digits[:point] + ('.' + digits[point:] if scale else '')


def error_text(value):
    """Returns the status and the detail of an eider::Error."""
    status = member(value, 'status_').GetValueAsSigned()
    said = pointer_in(member(value, 'said_'))
    if said == 0:
        return f'error {status}, moved from'
    kind = value.GetTarget().FindFirstType('std::string').GetCanonicalType()
    return f'error {status}: {text_of(value.CreateValueFromAddress("detail", said, kind))}'


def secret_text(value):
    """Returns whether there is a secret, and never the secret."""
    return 'secret' if pointer_in(member(value, 'text_')) else 'empty secret'


def value_text(value):
    """Returns the value in an eider::Validated."""
    return shown(member(value, 'value_'))


def trimmed_text(value):
    """Returns the text in an eider::Trimmed."""
    return shown(member(value, 'text_'))


SUMMARIES = (
    (r'^eider::Task<.*>$', task_text),
    (r'^eider::json::Value$', json_text),
    (r'^eider::Validated<.*>$', value_text),
    (r'^eider::Trimmed$', trimmed_text),
    (r'^eider::Nullable<.*>$', nullable_text),
    (r'^eider::ShortText$', short_text),
    (r'^eider::Uuid$', uuid_text),
    (r'^eider::Decimal$', decimal_text),
    (r'^eider::Error$', error_text),
    (r'^eider::Secret$', secret_text),
)


def __lldb_init_module(debugger, _):
    """Is called by lldb when it has loaded this file."""
    for pattern, function in SUMMARIES:
        debugger.HandleCommand(f'type summary add -w eider -x "{pattern}" '
                               f'-o "return {__name__}.{function.__name__}(valobj)"')
    debugger.HandleCommand('type category enable eider')
