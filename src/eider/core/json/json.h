// JSON as a whole: reading, writing, and values of unknown shape.
// Must not hold code of its own.
#pragma once

#include "eider/core/json/limits.h"
#include "eider/core/json/misnamed.h"
#include "eider/core/json/read.h"
#include "eider/core/json/value.h"
#include "eider/core/json/write.h"
