// JSON as a whole: reading, writing, and values of unknown shape.
// Must not hold code of its own.
#pragma once

#include "eider/json/limits.h"
#include "eider/json/misnamed.h"
#include "eider/json/read.h"
#include "eider/json/value.h"
#include "eider/json/write.h"
