// Parts that clients generated from an OpenAPI document include.
// Component: client. Guide: docs/guides/apis/generated-cpp-client.md.
#pragma once

#include "eider/client/generated/api_request.h"
#include "eider/client/generated/api_stream.h"
