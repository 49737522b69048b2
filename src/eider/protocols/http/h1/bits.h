// to_bits: converts a byte mask of a block into bits.
// Layering: must not contain code: it includes the file for the platform.
#pragma once

#ifdef __SSE2__
#include "eider/protocols/http/h1/bits_sse2.h"
#else
#include "eider/protocols/http/h1/bits_portable.h"
#endif
