// The HTTP and WebSocket client.
// Component: client. Guide: docs/guides/network/http-client.md.
#pragma once

#include "eider/client/client.h"
#include "eider/client/cookie_jar.h"
#include "eider/client/ws/ws_client.h"
