// Coroutines and event loops: tasks, scopes, timers, channels, locks, blocking work, descriptors.
// Component: core. Guide: docs/guides/application/async.md.
#pragma once

#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/channel.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/fd_watch.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/token_bucket.h"
