// Events that other services receive in order, from a table.
// Component: journal. Guide: docs/howto/journal.md.
#pragma once

#include "eider/web/journal/journal.h"
