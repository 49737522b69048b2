// Compressed responses and request bodies.
// Component: compress. Guide: docs/guides/responses/compression.md.
#pragma once

#include "eider/web/coding/compressed_response.h"
#include "eider/web/coding/decoded_request.h"
