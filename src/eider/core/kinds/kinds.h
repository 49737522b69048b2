// All types that are represented as text, and their rules.
// Layering: must not declare anything itself.
#pragma once

#include "eider/core/kinds/decimal.h"
#include "eider/core/kinds/pattern.h"
#include "eider/core/kinds/rules.h"
#include "eider/core/kinds/times.h"
#include "eider/core/kinds/trimmed.h"
#include "eider/core/kinds/uuid.h"
