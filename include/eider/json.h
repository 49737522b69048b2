// JSON: read a text into a struct, write a struct as a text.
// Component: core. Guide: docs/guides/requests/request-models.md.
#pragma once

#include "eider/core/json/json.h"
