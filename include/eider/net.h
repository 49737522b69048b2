// Connections to other machines over TCP and TLS, with name resolution.
// Component: net. Guide: docs/guides/network/tcp-connections.md.
#pragma once

#include "eider/io/net/net.h"
