// What a running server does: loops, connections, requests and what each waits for.
// Must not hold what clients and programs keep for themselves: values, queries, fields, bodies.
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

/// Something that a request, or what goes on beside them, waits for.
///
/// what  "statement" (text: its SQL, without values), "command" of Redis (text: its name),
///       "request" of HttpClient (text: method and server), "sleep", "thread" (of those that
///       block), or "client" (text: what it is to do)
struct WaitState {
  std::string what;
  std::string text{};
  double seconds = 0;
};

/// A request that is not over. What has no `waits_for` waits for something of the program's own.
///
/// route  its pattern; empty where it has none
/// stage  "received" (its content), "handled", "answered" (the content is made while it is sent),
///        "sent", or "left": by its client, while a thread is still at work
/// id     of the middleware `request_id`, where there is that
struct RequestState {
  std::string method;
  std::string route;
  std::string stage;
  double seconds = 0;
  std::string peer{};
  std::string id{};
  std::vector<WaitState> waits_for{};
};

/// What goes on beside requests (`background`, `every`, a module's), while it does: since when, and
/// what it waits for, as of a request.
struct BackgroundState {
  std::string name;
  double seconds = 0;
  std::vector<WaitState> waits_for{};
};

/// busy           among those that were looked at: they wait for an answer, or to take it
/// bytes_waiting  of output, likewise, beside what the kernel holds
struct ConnectionsState {
  std::uint64_t open = 0;
  std::uint64_t opening = 0;
  std::uint64_t http1 = 0;
  std::uint64_t http2 = 0;
  std::uint64_t websocket = 0;
  std::uint64_t closing = 0;
  std::uint64_t accepted = 0;
  std::uint64_t looked_at = 0;
  std::uint64_t busy = 0;
  std::uint64_t bytes_waiting = 0;
};

/// Of what stands still: what it runs, since when, and where in the program it is, the innermost
/// call first.
struct StuckState {
  double seconds = 0;
  std::string method{};
  std::string route{};
  std::string id{};
  std::vector<std::string> stack{};
};

/// One loop. It has not answered in time where it is stuck, or has ended: then there is nothing of
/// connections and requests.
///
/// answers             it has told this itself
/// lag_seconds         how long it had to be waited for
/// requests            so far
/// requests_in_flight  the oldest 100
/// background          the first 100
struct LoopState {
  std::uint64_t loop = 0;
  bool answers = true;
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
/// On the thread that has made it; of many the first.
[[nodiscard]] std::vector<WaitState> waits_of(const Work& work, Instant now);
}  // namespace detail::server

/// The state of the server whose loop runs on this thread, as of a tenth of a second ago at most:
/// whoever asks in the same instant is told the same. A loop that does not answer within a quarter
/// of a second is told as such.
///
/// returns  null outside of a server, and where too many ask at once
[[nodiscard]] Task<std::shared_ptr<const ServerState>> server_state();

}  // namespace eider
