// The state that all WebSockets of one event loop share.
// Layering: must not be touched from another thread, and runs no code of the application.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/core/base/log.h"
#include "eider/core/base/slab.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/upgraded.h"
#include "eider/io/ws/websocket.h"
#include "eider/io/ws/ws_inbox.h"
#include "eider/io/ws/ws_input_budget.h"
#include "eider/protocols/http/ws/message_writer.h"

namespace eider::ws::detail {

/// An entry of the list that the topics keep for each connection.
struct WsSubscriptionLink {
  WsSubscriptionLink* next = nullptr;
};

class WsSession;
struct WsAgreement;
struct WsRoute;

/// How a connection gets published messages.
enum class WsForm : std::uint8_t {
  plain,
  /// Compressed once for all such connections: without context between messages, with the largest
  /// window.
  shared,
  /// Compressed by its own compressor.
  own,
};

/// The subscriptions of connections to topics. A server has topics, a client has none.
class WsTopics {
 public:
  virtual void subscribe(WsSession& session, std::string_view topic) = 0;
  virtual void unsubscribe(WsSession& session, std::string_view topic) = 0;
  virtual void unsubscribe_all(WsSession& session) noexcept = 0;
  /// except  does not get the message; may be null
  ///
  /// returns  false if other loops cannot keep up: hold back the publisher
  virtual bool publish(std::string_view topic, const WsMessage& message,
                       const WsSession* except) = 0;
  /// Stops reading the connection until other loops keep up.
  virtual void hold_back(WsSession& session) = 0;
  /// Called when the connection closes.
  virtual void forget_held_back(WsSession& session) noexcept = 0;
  /// Provides the compressor for all connections of WsForm::shared; the first call counts.
  virtual void provide_codec(const WebSocketCompression& compression,
                             const ws::DeflateTerms& terms) = 0;

 protected:
  ~WsTopics() = default;
};

class WsShared {
 public:
  /// For a server. topics, log: must outlive it
  WsShared(Loop& loop, WsTopics& topics, const std::shared_ptr<LogSink>& log);
  /// For a client. masks: must outlive it
  WsShared(Loop& loop, ws::MaskSource& masks);
  ~WsShared();
  WsShared(const WsShared&) = delete;
  WsShared& operator=(const WsShared&) = delete;

  [[nodiscard]] Loop& loop() const noexcept { return loop_; }
  [[nodiscard]] ws::Side side() const noexcept { return side_; }
  /// Returns null for a client.
  [[nodiscard]] WsTopics* topics() const noexcept { return topics_; }
  /// Returns the writer, which masks a client's frames.
  [[nodiscard]] const ws::MessageWriter& writer() const noexcept { return writer_; }
  [[nodiscard]] LogSink* log() const noexcept { return log_ == nullptr ? nullptr : log_->get(); }

  [[nodiscard]] WsInputBudget& incomplete_messages() noexcept { return incomplete_messages_; }
  [[nodiscard]] WsInputBudget& waiting_messages() noexcept { return waiting_messages_; }
  /// Buffers that all readers of this thread share.
  [[nodiscard]] Buffer& scratch() noexcept { return scratch_; }
  [[nodiscard]] Buffer& second_scratch() noexcept { return second_scratch_; }
  /// Returns the payload of the ping that gets a pong at the end of a batch.
  [[nodiscard]] const Buffer& owed_pong() const noexcept { return owed_pong_; }
  void owe_pong(std::string_view payload) {
    owed_pong_.clear();
    owed_pong_.append(payload);
  }

  [[nodiscard]] std::unique_ptr<WsInbox> take_inbox();
  void give_back(std::unique_ptr<WsInbox> inbox);

  /// Schedules session.run() later in this turn, outside of handlers. Works like Loop::defer, but a
  /// Deferred would add 24 bytes to each session.
  void defer(WsSession& session);
  /// Pre: it is deferred.
  void withdraw(WsSession& session) noexcept;

  /// Creates the session of a server's line, which the line ends with Upgraded::on_line_gone.
  [[nodiscard]] WsSession& make_session(const WsRoute& route, UpgradedLine& line,
                                        const WsAgreement& agreement);
  /// Pre: created by make_session.
  void destroy(WsSession& session) noexcept;
  /// Keeps a session whose line was destroyed until its handler has ended.
  void adopt(WsSession& session);
  void release(WsSession& session) noexcept;
  void release_all() noexcept;
  [[nodiscard]] std::size_t orphans() const noexcept { return orphans_.size(); }
  /// Returns the number of memory blocks for the sessions.
  [[nodiscard]] std::size_t session_blocks() const noexcept;

 private:
  /// The deferred sessions; null for those that were withdrawn.
  class Turn final : public Deferred {
   public:
    explicit Turn(WsShared& shared) noexcept : shared_(shared) {}
    std::vector<WsSession*> sessions;

   private:
    void run() override { shared_.run_deferred(); }
    WsShared& shared_;
  };

  void run_deferred();

  Loop& loop_;
  WsTopics* topics_ = nullptr;
  const std::shared_ptr<LogSink>* log_ = nullptr;
  ws::MessageWriter writer_;
  ws::Side side_;
  // Before the sessions, whose destructors use them.
  WsInputBudget incomplete_messages_{loop_};
  WsInputBudget waiting_messages_{loop_};
  Buffer scratch_;
  Buffer second_scratch_;
  Buffer owed_pong_;
  std::vector<std::unique_ptr<WsInbox>> spare_inboxes_;
  Turn turn_{*this};
  Slab<WsSession> sessions_;
  std::vector<WsSession*> orphans_;
};

}  // namespace eider::ws::detail
