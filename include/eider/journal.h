// Events that other services receive in order, from a table.
// Component: journal. Guide: docs/guides/data/event-log.md.
#pragma once

#include "eider/web/journal/journal.h"
