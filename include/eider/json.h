// JSON: read a text into a struct, write a struct as a text.
// Component: core. Guide: docs/howto/structs.md.
#pragma once

#include "eider/core/json/json.h"
