// HTTP/2.
// Component: http2. Guide: docs/operations/http2.md.
#pragma once

#include "eider/app/http2/http2.h"
