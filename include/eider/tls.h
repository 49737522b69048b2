// HTTPS: certificates, client certificates, renewal.
// Component: tls. Guide: docs/howto/tls.md.
#pragma once

#include "eider/io/tls/tls.h"
