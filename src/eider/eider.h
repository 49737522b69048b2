// The one header an application includes.
// Must not name a component that a program has to ask for, such as a database.
#pragma once

#include "eider/app/app.h"
#include "eider/app/client.h"
#include "eider/app/event_stream.h"
#include "eider/app/multipart.h"
#include "eider/app/options.h"
#include "eider/app/spool.h"
#include "eider/app/websocket.h"
#include "eider/base/failure.h"
#include "eider/files/files.h"
#include "eider/json/json.h"
#include "eider/reflect/constraints.h"
#include "eider/runtime/deadline.h"
#include "eider/runtime/sleep.h"
#include "eider/server/server.h"
