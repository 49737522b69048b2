// Events that other services receive in order, from a table.
// Component: eventlog. Guide: docs/guides/data/event-log.md.
#pragma once

#include "eider/web/eventlog/eventlog.h"
