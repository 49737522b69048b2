// Text helpers: HTML escaping, slugs, Base32, Base64, UTF-8, random tokens, SHA-256.
// Component: core. Guide: docs/guides/application/text-helpers.md.
#pragma once

#include "eider/core/base/base32.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/html.h"
#include "eider/core/base/ok_or.h"
#include "eider/core/base/resource_probe.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/slug.h"
#include "eider/core/base/token.h"
#include "eider/core/base/utf8.h"
