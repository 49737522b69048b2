// to_bits: converts a byte mask of a block into bits.
// Layering: must not hold code of its own: it chooses the platform's file.
#pragma once

#ifdef __SSE2__
#include "eider/protocols/http/h1/bits_sse2.h"
#else
#include "eider/protocols/http/h1/bits_portable.h"
#endif
