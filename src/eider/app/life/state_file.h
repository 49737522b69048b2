// The state of the process as JSON, and the file that receives it at SIGUSR1.
// Layering: must not be called on an event loop, because it writes to a disk.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eider/core/base/log.h"
#include "eider/core/base/resource_probe.h"
#include "eider/server/state.h"

namespace eider::detail::app {

/// All that a process tells of itself.
///
/// time  in UTC, as in "2026-03-01T12:00:00Z"
struct ProcessState {
  std::string time;
  std::string eider;
  ServerState server;
  std::vector<ResourceState> resources;
};

[[nodiscard]] ProcessState process_state(const ServerState& server);

/// path  empty: eider-state-PID.json below RUNTIME_DIRECTORY, TMPDIR or /tmp. With several workers
///       each adds its number to a path that was given.
[[nodiscard]] std::string state_path(const std::string& path, const ServerState& server);

/// Writes it there, readable for the process's own user alone, as a whole or not at all; and tells
/// the log where, or why not.
///
/// log  may be null
void write_state(const std::string& path, const ServerState& server, LogSink* log);

}  // namespace eider::detail::app
