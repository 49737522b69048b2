// All kinds of values that are told as text, and the rules on them.
// Must not declare anything itself.
#pragma once

#include "eider/kinds/decimal.h"
#include "eider/kinds/pattern.h"
#include "eider/kinds/rules.h"
#include "eider/kinds/times.h"
#include "eider/kinds/trimmed.h"
#include "eider/kinds/uuid.h"
