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

/// The state of the process, for diagnostics.
///
/// time  in UTC, as in "2026-03-01T12:00:00Z"
struct ProcessState {
  std::string time;
  std::string eider;
  ServerState server;
  std::vector<ResourceState> resources;
};

[[nodiscard]] ProcessState process_state(const ServerState& server);

/// Returns the name of the file.
///
/// path  empty: eider-state-PID.json below RUNTIME_DIRECTORY, TMPDIR or /tmp. If there are several
///       workers, each one adds its number to a given path.
[[nodiscard]] std::string state_path(const std::string& path, const ServerState& server);

/// Writes the state to that file atomically, readable only for the user of the process. The log
/// gets the name of the file, or the error.
///
/// log  may be null
void write_state(const std::string& path, const ServerState& server, LogSink* log);

}  // namespace eider::detail::app
