// Chat rooms: who is present, the last messages, topics shared between machines.
// Component: core. Guide: docs/guides/realtime/presence.md.
#pragma once

#include "eider/web/backplane/topic_backplane.h"
#include "eider/web/presence/history.h"
#include "eider/web/presence/presence.h"
