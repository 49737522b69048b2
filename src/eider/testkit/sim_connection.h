// A connection and a listener in the memory of the simulated kernel.
// Layering: must not be used outside of the simulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>

#include "eider/io/runtime/listener.h"

namespace eider {

class SimLoop;
class Stream;

namespace detail::testkit {

struct SimConnection {
  std::uint32_t index = 0;
  SimLoop* loop = nullptr;   // where the stream is attached
  Stream* stream = nullptr;  // null before `Stream::open` and after its end

  std::string to_server;  // sent by the client, not read yet; from `read_bytes` on
  std::size_t read_bytes = 0;
  std::string to_client;  // written by the server, not taken yet
  std::size_t window_bytes = std::numeric_limits<std::size_t>::max();

  bool is_queued = false;   // its event loop has an event for it in its queue
  bool is_blocked = false;  // a write was shortened: the server waits for room
  bool is_refused = false;
  bool is_end_told = false;   // the server's stream was notified of the client's FIN
  bool client_ended = false;  // FIN from the client
  bool client_gone = false;   // the client end was destroyed
  bool server_ended = false;  // FIN from the server
  bool server_gone = false;   // the server's end is closed
  bool is_reset = false;

  [[nodiscard]] std::size_t unread_bytes() const noexcept { return to_server.size() - read_bytes; }
  [[nodiscard]] std::size_t room_bytes() const noexcept {
    return window_bytes > to_client.size() ? window_bytes - to_client.size() : 0;
  }
};

struct SimPort {
  Listener* listener = nullptr;
  SimLoop* loop = nullptr;
  std::uint16_t number = 0;
  bool is_shared = false;
  bool is_resting = false;  // after a failed accept, until the listener attaches again
  bool is_closing = false;  // accepts no more connections
  bool is_queued = false;
  std::deque<std::uint32_t> backlog;
};

}  // namespace detail::testkit
}  // namespace eider
