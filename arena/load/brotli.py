"""Brotli by the libraries that Eider is built with: Python has none of its own.

Must not hide a torn text: what does not decode to its end is an error.
"""

import ctypes
import functools

_WINDOW_BITS, _GENERIC = 22, 0
_DECODED = 1
_BYTES = ctypes.POINTER(ctypes.c_size_t)


class NotBrotli(Exception):
    """The bytes do not decode, or to more than they may."""


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
    library.BrotliDecoderDecompress.argtypes = [ctypes.c_size_t, ctypes.c_char_p, _BYTES,
                                                ctypes.c_char_p]
    return library


def compress(data, quality):
    """The bytes in one Brotli stream; quality 0 to 11."""
    library = _encoder()
    size = ctypes.c_size_t(library.BrotliEncoderMaxCompressedSize(len(data)))
    out = ctypes.create_string_buffer(size.value)
    if not library.BrotliEncoderCompress(quality, _WINDOW_BITS, _GENERIC, len(data), data,
                                         ctypes.byref(size), out):
        raise MemoryError("libbrotlienc does not compress")
    return out.raw[:size.value]


def decompress(data, bytes_max):
    """What the one stream holds; NotBrotli where that is more than bytes_max, or none."""
    size = ctypes.c_size_t(bytes_max)
    out = ctypes.create_string_buffer(max(1, bytes_max))
    if _decoder().BrotliDecoderDecompress(len(data), data, ctypes.byref(size), out) != _DECODED:
        raise NotBrotli(f"{len(data)} bytes are no Brotli of at most {bytes_max}")
    return out.raw[:size.value]
