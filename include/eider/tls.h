// HTTPS: certificates, client certificates, renewal.
// Component: tls. Guide: docs/operations/tls.md.
#pragma once

#include "eider/app/tls/tls.h"
