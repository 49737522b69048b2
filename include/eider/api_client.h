// Parts that clients generated from an OpenAPI document include.
// Component: client. Guide: docs/guides/apis/generated-clients.md.
#pragma once

#include "eider/client/generated/api_request.h"
#include "eider/client/generated/api_stream.h"
