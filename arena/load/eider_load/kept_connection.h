// One connection that stays: sends requests, several in one write when asked, and checks answers.
// Must not decide what is sent when, nor reconnect: its owner does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "answer_reader.h"
#include "eider/runtime/descriptor.h"
#include "eider/runtime/stream.h"
#include "eider/runtime/time.h"

namespace load {

class KeptConnection;

/// Told by its connections. Each call may send on the connection, or close it.
class ConnectionOwner {
 public:
  /// A whole answer; `failure` says what is wrong with it, why() of the connection in words.
  virtual void on_answer(KeptConnection& connection, std::optional<Failure> failure) = 0;
  /// All answers have come, and the next request may be sent.
  virtual void on_free(KeptConnection& connection) = 0;
  /// The connection is closed: `unanswered` requests failed for that reason. The server may also
  /// have closed it when it had answered all, with 0 of them.
  virtual void on_gone(KeptConnection& connection, unsigned unanswered, Failure kind) = 0;

 protected:
  ~ConnectionOwner() = default;
};

class KeptConnection final : private eider::StreamOwner {
 public:
  KeptConnection(eider::Loop& loop, ConnectionOwner& owner, const Expected& expected)
      : owner_(owner), reader_(expected), stream_(loop, *this) {}

  /// Takes over a connected socket. Pre: not open.
  void open(eider::Descriptor fd);

  /// Sends `bytes`, which hold `count` requests. Pre: open, and no answer outstanding.
  ///
  /// due  when they should have been sent
  void send(std::string_view bytes, unsigned count, eider::Instant due);

  /// Closes and tells the owner, once, that it is gone for that reason.
  void give_up(Failure kind, std::string why);

  [[nodiscard]] bool is_open() const noexcept { return stream_.is_open(); }
  /// How many answers are outstanding.
  [[nodiscard]] unsigned waiting() const noexcept { return waiting_; }
  /// Of the last `send`.
  [[nodiscard]] eider::Instant due() const noexcept { return due_; }
  [[nodiscard]] eider::Instant sent() const noexcept { return sent_; }
  /// Of the unfinished answer's body (AnswerReader::right_body_bytes).
  [[nodiscard]] std::uint64_t right_body_bytes() const noexcept {
    return reader_.right_body_bytes();
  }
  /// AnswerReader::is_right_so_far.
  [[nodiscard]] bool is_right_so_far() const noexcept { return reader_.is_right_so_far(); }
  /// What was last wrong, in words.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

 private:
  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override {}
  void on_broken(eider::NetError error) override;

  /// False when the connection is gone or waits for more bytes.
  bool take_step(const ReadStep& step);

  ConnectionOwner& owner_;
  AnswerReader reader_;
  eider::Stream stream_;
  unsigned waiting_ = 0;
  eider::Instant due_;
  eider::Instant sent_;
  std::string why_;
};

}  // namespace load
