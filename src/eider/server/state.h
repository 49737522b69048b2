// The state of a running server: event loops, connections, requests and their waits.
// Layering: must not contain data of clients and programs: values, queries, headers, bodies.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

class Work;

/// A wait of a request or a background task.
///
/// what  "statement" (text: its SQL, without values), "command" of Redis (text: its name),
///       "request" of HttpClient (text: method and server), "sleep", "thread" (of the blocking
///       pool), or "client" (text: what the client must do)
struct WaitState {
  std::string what;
  std::string text{};
  double seconds = 0;
};

/// A request that is not complete. Without `waits_for`, it waits for something in the program
/// itself.
///
/// route  its pattern; empty if it has none
/// stage  "received" (its body), "handled", "streaming" (the body is produced while it is sent),
///        "sent", or "disconnected": its client has disconnected, but a thread is still at work
/// id     of the middleware `request_id`, if it is used
struct RequestState {
  std::string method;
  std::string route;
  std::string stage;
  double seconds = 0;
  std::string peer{};
  std::string id{};
  std::vector<WaitState> waits_for{};
};

/// A running background task (`background`, `every`, or of a module): its start and its wait.
struct BackgroundState {
  std::string name;
  double seconds = 0;
  std::vector<WaitState> waits_for{};
};

/// busy           of the inspected connections: those that wait for a response, or to read it
/// bytes_waiting  of output of the same connections, in addition to the kernel's
struct ConnectionsState {
  std::uint64_t open = 0;
  std::uint64_t opening = 0;
  std::uint64_t http1 = 0;
  std::uint64_t http2 = 0;
  std::uint64_t websocket = 0;
  std::uint64_t closing = 0;
  std::uint64_t accepted = 0;
  std::uint64_t inspected = 0;
  std::uint64_t busy = 0;
  std::uint64_t bytes_waiting = 0;
};

/// A blocked event loop: what it runs, since when, and its stack, the innermost call first.
struct StuckState {
  double seconds = 0;
  std::string method{};
  std::string route{};
  std::string id{};
  std::vector<std::string> stack{};
};

/// One event loop. If it is blocked or has ended, it did not respond in time, and its connections
/// and requests are missing.
///
/// is_responsive       whether it responded itself
/// lag_seconds         how long its response took
/// requests            so far
/// requests_in_flight  the oldest 100
/// background          the first 100
struct LoopState {
  std::uint64_t loop = 0;
  bool is_responsive = true;
  double lag_seconds = 0;
  std::uint64_t turns = 0;
  std::uint64_t requests = 0;
  std::uint64_t in_flight = 0;
  bool is_draining = false;
  ConnectionsState connections{};
  std::vector<RequestState> requests_in_flight{};
  std::vector<BackgroundState> background{};
  std::optional<StuckState> stuck{};
};

struct ServerState {
  std::int64_t process = 0;
  std::optional<unsigned> worker{};
  double up_seconds = 0;
  bool is_stopping = false;
  std::string backend{};
  std::vector<std::string> addresses{};
  std::uint64_t connections_max = 0;
  std::uint64_t in_flight_max = 0;
  std::uint64_t threads_blocking = 0;
  std::uint64_t threads_blocking_max = 0;
  std::uint64_t blocking_waiting = 0;
  std::vector<LoopState> loops{};
};

namespace detail::server {
[[nodiscard]] inline double seconds_of(Duration duration) noexcept {
  return std::chrono::duration<double>(duration).count();
}
/// Returns the waits of a request or task, on the thread that made it; of many, the first ones.
[[nodiscard]] std::vector<WaitState> waits_of(const Work& work, Instant now);
}  // namespace detail::server

/// Returns the state of the server whose event loop runs on this thread, at most a tenth of a
/// second old: concurrent calls get the same state. A loop that does not respond within a quarter
/// of a second is reported as such.
///
/// returns  null outside of a server, and if there are too many concurrent calls
[[nodiscard]] Task<std::shared_ptr<const ServerState>> server_state();

}  // namespace eider
