// A connection of a run: sends prepared requests and reports each response.
// Layering: must not decide what is sent when, and must not connect; its user does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cli/bench/faults.h"
#include "eider/core/base/intrusive_list.h"
#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/tcp.h"
#include "eider/io/runtime/time.h"

namespace eider::bench {

class Connection;

/// A request that waits for its response.
///
/// request     its index among the prepared requests
/// due         start of its latency
/// is_counted  it was sent after the warm-up
/// is_heard    another connection sends it, and this one waits for it (WebSocket only)
/// number      identifies a message among all others of its thread
/// sent        time at which it was passed to the loop; set by the connection
struct Sent {
  std::size_t request = 0;
  Instant due;
  bool is_counted = true;
  bool is_heard = false;
  std::uint64_t number = 0;
  Instant sent = {};
};

/// A response that has begun.
///
/// right_bytes  bytes of its body received so far if they are as expected; otherwise 0
struct Unfinished {
  std::uint64_t right_bytes = 0;
  bool is_right_so_far = true;
};

/// Receives the events of its connections. Each call may send on the connection, or close it.
class ConnectionUser {
 public:
  /// Called with the number of received bytes.
  virtual void on_received(std::size_t bytes) = 0;
  /// Called for a whole response with that status.
  virtual void on_response(Connection& connection, const Sent& sent, int status) = 0;
  /// Called when all received bytes are read, and the pipeline has room.
  virtual void on_free(Connection& connection) = 0;
  /// Called if the request will never get a response. `on_gone` follows after all these calls.
  virtual void on_failed(Connection& connection, const Sent& sent, Fault fault) = 0;
  /// Called for bytes without a request; `on_gone` follows.
  virtual void on_surplus(Connection& connection) = 0;
  /// Called when the connection is closed.
  virtual void on_gone(Connection& connection) = 0;

 protected:
  ~ConnectionUser() = default;
};

/// Whether requests may be sent immediately, or after the protocol is ready (`tell_ready`).
enum class Begun : std::uint8_t { at_once, waits };

/// Common part of all protocols: the stream, and its end. Its user may keep it in a list.
class Connection : public ListNode, protected StreamOwner {
 public:
  /// user  outlives it
  explicit Connection(ConnectionUser& user) : user_(user) {}
  virtual ~Connection() = default;

  /// Takes ownership of a connected stream, encrypted if the URL requires it. Pre: not open, and
  /// not within a call of the previous one.
  void open(std::unique_ptr<TcpStream> line);

  /// Set when requests may be sent, or when the connection was lost before.
  [[nodiscard]] AsyncEvent& settled() noexcept { return settled_; }

  /// From here on, the user is notified when the connection is lost; before, its opener must check.
  /// Pre: is_ready().
  void take_into_use() noexcept { is_in_use_ = true; }

  /// Sends a prepared request. Pre: is_ready(), and has_room().
  virtual void send(Sent next) = 0;
  /// Returns whether another request may be sent.
  [[nodiscard]] virtual bool has_room() const noexcept = 0;
  /// Returns the number of outstanding responses.
  [[nodiscard]] virtual std::size_t waiting() const noexcept = 0;
  /// Returns the time at which the oldest outstanding request was sent. Pre: waiting() != 0.
  [[nodiscard]] virtual Instant waiting_since() const noexcept = 0;

  /// Returns the state of the response that has begun but not ended.
  [[nodiscard]] virtual Unfinished unfinished() const noexcept { return {}; }

  /// Fails the outstanding requests, closes, and notifies the user.
  void give_up(Fault fault, std::string why);
  /// Closes without notifying the user.
  virtual void close() {
    if (line_ != nullptr) {
      line_->close();
    }
  }

  [[nodiscard]] bool is_ready() const noexcept {
    return line_ != nullptr && line_->is_open() && settled_.is_set();
  }
  /// Returns the text of the last error.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }
  [[nodiscard]] Fault fault() const noexcept { return fault_; }

 protected:
  /// Called when bytes may be written: directly, or after the TLS handshake. May give up.
  virtual Begun begin() = 0;
  /// Removes and returns one outstanding request. Pre: waiting() != 0.
  virtual Sent take_waiting() noexcept = 0;

  [[nodiscard]] ConnectionUser& user() noexcept { return user_; }
  /// Pre: open() was called.
  [[nodiscard]] Stream& stream() noexcept { return line_->stream(); }
  /// Sets the text for a request that fails although the connection stays open.
  void note(std::string why) { why_ = std::move(why); }
  /// Allows requests; for protocols whose `begin` returns `waits`.
  void tell_ready() { settled_.set(); }
  void refuse_surplus();
  void end_between_responses();

 private:
  void on_drained() override {}
  void on_broken(NetError error) override;
  void on_insecure(std::string_view why) override;
  void tell_gone();

  ConnectionUser& user_;
  std::unique_ptr<TcpStream> line_;  // null until the first one
  AsyncEvent settled_;
  std::string why_;
  Fault fault_ = Fault::closed;
  bool is_in_use_ = false;
};

}  // namespace eider::bench
