"""Brotli with the libraries that Eider is built with: Python's standard library has none.

Must not accept a truncated stream: data that does not decode completely is an error.
"""

import ctypes
import functools

_WINDOW_BITS, _GENERIC = 22, 0
_DECODED = 1
_BYTES, _PLACE = ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_void_p)


class NotBrotli(Exception):
    """The data is invalid, or decodes to more than the limit."""


@functools.cache
def _encoder():
    library = ctypes.CDLL("libbrotlienc.so.1")
    library.BrotliEncoderMaxCompressedSize.argtypes = [ctypes.c_size_t]
    library.BrotliEncoderMaxCompressedSize.restype = ctypes.c_size_t
    library.BrotliEncoderCompress.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int,
                                              ctypes.c_size_t, ctypes.c_char_p, _BYTES,
                                              ctypes.c_char_p]
    return library


@functools.cache
def _decoder():
    library = ctypes.CDLL("libbrotlidec.so.1")
    library.BrotliDecoderCreateInstance.argtypes = [ctypes.c_void_p] * 3
    library.BrotliDecoderCreateInstance.restype = ctypes.c_void_p
    library.BrotliDecoderDestroyInstance.argtypes = [ctypes.c_void_p]
    library.BrotliDecoderDecompressStream.argtypes = [ctypes.c_void_p, _BYTES, _PLACE, _BYTES,
                                                      _PLACE, _BYTES]
    return library


def compress(data, quality):
    """Compresses the bytes to a Brotli stream; quality 0 to 11."""
    library = _encoder()
    size = ctypes.c_size_t(library.BrotliEncoderMaxCompressedSize(len(data)))
    out = ctypes.create_string_buffer(size.value)
    if not library.BrotliEncoderCompress(quality, _WINDOW_BITS, _GENERIC, len(data), data,
                                         ctypes.byref(size), out):
        raise MemoryError("libbrotlienc does not compress")
    return out.raw[:size.value]


def decompress(data, bytes_max):
    """Decodes one stream of at most bytes_max; raises NotBrotli if it is truncated, or data
    follows.
    """
    out = ctypes.create_string_buffer(max(1, bytes_max))
    source = ctypes.create_string_buffer(data, max(1, len(data)))
    left, room = ctypes.c_size_t(len(data)), ctypes.c_size_t(bytes_max)
    state = _decoder().BrotliDecoderCreateInstance(None, None, None)
    try:
        ended = _decoder().BrotliDecoderDecompressStream(
            state, ctypes.byref(left), ctypes.byref(ctypes.c_void_p(ctypes.addressof(source))),
            ctypes.byref(room), ctypes.byref(ctypes.c_void_p(ctypes.addressof(out))), None)
    finally:
        _decoder().BrotliDecoderDestroyInstance(state)
    if ended != _DECODED or left.value:
        raise NotBrotli(f"the {len(data)} bytes are not Brotli with at most {bytes_max} bytes")
    return ctypes.string_at(out, bytes_max - room.value)
