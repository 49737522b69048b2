// One HTTP/1.1 connection of a run: sends prepared requests and tells when each is answered.
// Must not decide what is sent when, nor connect: its user does.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/cli/bench/answer_scanner.h"
#include "eider/cli/bench/faults.h"
#include "eider/cli/bench/requests.h"
#include "eider/runtime/descriptor.h"
#include "eider/runtime/seal.h"
#include "eider/runtime/stream.h"
#include "eider/runtime/sync.h"
#include "eider/runtime/time.h"

namespace eider::bench {

class Connection;

/// A request that waits for its answer.
///
/// request     its index among the prepared ones
/// due         from when its latency counts
/// is_counted  the warm-up was over when it was sent
/// sent        when it was handed to the loop; set by the connection
struct Sent {
  std::size_t request = 0;
  Instant due;
  bool is_counted = true;
  Instant sent = {};
};

/// Told by its connections. Each call may send on the connection, or close it.
class ConnectionUser {
 public:
  /// So many bytes have come.
  virtual void on_received(std::size_t bytes) = 0;
  /// A whole answer with that status.
  virtual void on_answer(Connection& connection, const Sent& sent, int status) = 0;
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

/// What the connections of one thread share.
struct ConnectionTerms {
  ConnectionTerms(const std::vector<Request>& prepared, unsigned depth)
      : requests(prepared), pipeline(depth), known(prepared.size()) {}

  const std::vector<Request>& requests;
  unsigned pipeline;
  std::vector<KnownHead> known;  // by request
  h1::ResponseReader reader;
};

class Connection final : private StreamOwner {
 public:
  /// Both outlive it.
  Connection(Loop& loop, ConnectionUser& user, ConnectionTerms& terms)
      : user_(user),
        terms_(terms),
        scanner_(terms.reader),
        sent_(terms.pipeline),
        stream_(loop, *this) {}

  /// Takes over a connected socket. Pre: not open.
  ///
  /// seal  encrypts; null for plain connections
  void open(Descriptor fd, std::unique_ptr<Seal> seal);

  /// Happens when requests may be sent, or when the connection was lost before.
  [[nodiscard]] Event& settled() noexcept { return settled_; }

  /// Sends a prepared request. Pre: is_ready(), and has_room().
  void send(Sent next);

  /// Fails what is outstanding, closes, and tells the user.
  void give_up(Fault fault, std::string why);
  /// Closes; nobody is told.
  void close() noexcept { stream_.close(); }

  [[nodiscard]] bool is_ready() const noexcept { return stream_.is_open() && settled_.is_set(); }
  /// The pipeline takes another request. Where requests are large it holds fewer than it might: the
  /// socket has to take them all, since nothing is read while it has refused some, and a server
  /// that cannot get rid of its answers takes no more.
  [[nodiscard]] bool has_room() const noexcept {
    return waiting_ == 0 || (waiting_ < sent_.size() && waiting_bytes_ < kWaitingBytesMax);
  }
  /// How many answers are outstanding.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
  /// Pre: waiting() != 0.
  [[nodiscard]] const Sent& oldest() const noexcept { return sent_[first_]; }
  /// What ended it last, in words.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }
  [[nodiscard]] Fault fault() const noexcept { return fault_; }

 private:
  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override {}
  void on_secured() override { settled_.set(); }
  void on_broken(NetError error) override;

  static constexpr std::size_t kWaitingBytesMax = std::size_t{64} << 10U;

  Sent take_oldest() noexcept;
  void refuse_surplus();
  void end_between_answers();

  ConnectionUser& user_;
  ConnectionTerms& terms_;
  AnswerScanner scanner_;
  std::vector<Sent> sent_;  // a ring
  std::size_t first_ = 0;
  std::size_t waiting_ = 0;
  std::size_t waiting_bytes_ = 0;  // of the requests that wait
  std::string why_insecure_;
  Stream stream_;
  Event settled_;
  std::string why_;
  Fault fault_ = Fault::closed;
};

}  // namespace eider::bench
