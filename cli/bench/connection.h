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
/// request     its index among the prepared ones
/// due         from when its latency counts
/// is_counted  the warm-up was over when it was sent
/// is_heard    another connection sends it, and it is waited for on this one (WebSocket only)
/// number      tells a message from all others of its thread
/// sent        when it was handed to the loop; set by the connection
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
/// right_bytes  of its content have come, if all of it is as expected so far; else 0
struct Unfinished {
  std::uint64_t right_bytes = 0;
  bool is_right_so_far = true;
};

/// Told by its connections. Each call may send on the connection, or close it.
class ConnectionUser {
 public:
  /// So many bytes have come.
  virtual void on_received(std::size_t bytes) = 0;
  /// A whole response with that status.
  virtual void on_response(Connection& connection, const Sent& sent, int status) = 0;
  /// All that has come is read, and there is room in the pipeline.
  virtual void on_free(Connection& connection) = 0;
  /// The request will never be answered. `on_gone` follows when all such have been told.
  virtual void on_failed(Connection& connection, const Sent& sent, Fault fault) = 0;
  /// Bytes came that no request asked for; `on_gone` follows.
  virtual void on_surplus(Connection& connection) = 0;
  /// The connection is closed.
  virtual void on_gone(Connection& connection) = 0;

 protected:
  ~ConnectionUser() = default;
};

/// Whether requests may be sent at once, or when the protocol has said so (`tell_ready`).
enum class Begun : std::uint8_t { at_once, waits };

/// What every protocol has: the stream, and how it ends. Its user may keep it in a list.
class Connection : public ListNode, protected StreamOwner {
 public:
  /// user  outlives it
  explicit Connection(ConnectionUser& user) : user_(user) {}
  virtual ~Connection() = default;

  /// Takes over a connected stream, encrypted where the URL says so. Pre: not open, and not within
  /// a call of the one before.
  void open(std::unique_ptr<TcpStream> line);

  /// Happens when requests may be sent, or when the connection was lost before.
  [[nodiscard]] AsyncEvent& settled() noexcept { return settled_; }

  /// From here on the user is told when it is gone; before, its opener has to look. Pre:
  /// is_ready().
  void take_into_use() noexcept { is_in_use_ = true; }

  /// Sends a prepared request. Pre: is_ready(), and has_room().
  virtual void send(Sent next) = 0;
  /// Another request may be sent.
  [[nodiscard]] virtual bool has_room() const noexcept = 0;
  /// How many responses are outstanding.
  [[nodiscard]] virtual std::size_t waiting() const noexcept = 0;
  /// When the request was sent that has waited longest. Pre: waiting() != 0.
  [[nodiscard]] virtual Instant waiting_since() const noexcept = 0;

  /// What is known of the content of the response that has begun and not ended.
  [[nodiscard]] virtual Unfinished unfinished() const noexcept { return {}; }

  /// Fails what is outstanding, closes, and tells the user.
  void give_up(Fault fault, std::string why);
  /// Closes; nobody is told.
  virtual void close() {
    if (line_ != nullptr) {
      line_->close();
    }
  }

  [[nodiscard]] bool is_ready() const noexcept {
    return line_ != nullptr && line_->is_open() && settled_.is_set();
  }
  /// What ended it last, in words.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }
  [[nodiscard]] Fault fault() const noexcept { return fault_; }

 protected:
  /// Bytes may be written: plain, or when the encryption is agreed on. May give up.
  virtual Begun begin() = 0;
  /// Takes one outstanding request away. Pre: waiting() != 0.
  virtual Sent take_waiting() noexcept = 0;

  [[nodiscard]] ConnectionUser& user() noexcept { return user_; }
  /// Pre: open() was called.
  [[nodiscard]] Stream& stream() noexcept { return line_->stream(); }
  /// What `why` tells of a request that fails while the connection stays.
  void note(std::string why) { why_ = std::move(why); }
  /// From here on requests may be sent; for those whose `begin` waits.
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
