// A reverse proxy to other servers.
// Component: proxy. Guide: docs/guides/network/reverse-proxy.md.
#pragma once

#include "eider/web/middleware/upstream_headers.h"
#include "eider/web/proxy/forward_auth.h"
#include "eider/web/proxy/proxy.h"
