// Types for members of structs: e-mail addresses, UUIDs, dates, decimals, bounds, custom types.
// Component: core. Guide: docs/guides/requests/custom-types.md.
#pragma once

#include "eider/core/kinds/kinds.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/nullable.h"
#include "eider/core/reflect/optional_initializer.h"
#include "eider/core/reflect/validation_errors.h"
#include "eider/protocols/http/url.h"
