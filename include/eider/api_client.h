// What clients generated from an OpenAPI document include.
// Component: client. Guide: docs/howto/clients.md.
#pragma once

#include "eider/client/api_request.h"
#include "eider/client/api_stream.h"
