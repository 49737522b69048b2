// A reverse proxy to other servers.
// Component: proxy. Guide: docs/howto/proxy.md.
#pragma once

#include "eider/web/proxy/proxy.h"
