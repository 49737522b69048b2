// Chat rooms: who is present, the last messages, topics shared between machines.
// Component: core. Guide: docs/guides/realtime/presence.md.
#pragma once

#include "eider/web/relay/topic_relay.h"
#include "eider/web/rooms/attendance.h"
#include "eider/web/rooms/history.h"
