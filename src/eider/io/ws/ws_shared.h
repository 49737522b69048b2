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
#include "eider/protocols/http/ws/message_writer.h"

namespace eider::ws::detail {

/// An entry of the list that the topics keep for each connection.
struct WsSubscriptionLink {
  WsSubscriptionLink* next = nullptr;
};

class WsSession;
struct WsAgreement;
struct WsRoute;

/// How a connection gets what is published.
enum class WsForm : std::uint8_t {
  plain,
  /// Compressed once for all of them: no window is kept between messages, and it is the largest.
  shared,
  /// By its own compressor.
  own,
};

/// Which connection hears of which topic, as one of them asks for it. A server has topics, a client
/// has none.
class WsTopics {
 public:
  virtual void subscribe(WsSession& session, std::string_view topic) = 0;
  virtual void unsubscribe(WsSession& session, std::string_view topic) = 0;
  virtual void unsubscribe_all(WsSession& session) noexcept = 0;
  /// except  does not get it; may be null
  ///
  /// returns  false where other loops cannot keep up: the publisher is to be held back
  virtual bool publish(std::string_view topic, const WsMessage& message,
                       const WsSession* except) = 0;
  /// The connection is not read until other loops keep up.
  virtual void hold_back(WsSession& session) = 0;
  /// It closes.
  virtual void forget_held_back(WsSession& session) noexcept = 0;
  /// What compresses for all connections of WsForm::shared; the first one's serves them all.
  virtual void provide_codec(const WebSocketCompression& compression,
                             const ws::DeflateTerms& terms) = 0;

 protected:
  ~WsTopics() = default;
};

class WsShared {
 public:
  /// Of a server. topics, log: outlive it
  WsShared(Loop& loop, WsTopics& topics, const std::shared_ptr<LogSink>& log);
  /// Of a client. masks: outlive it
  WsShared(Loop& loop, ws::MaskSource& masks);
  ~WsShared();
  WsShared(const WsShared&) = delete;
  WsShared& operator=(const WsShared&) = delete;

  [[nodiscard]] Loop& loop() const noexcept { return loop_; }
  [[nodiscard]] ws::Side side() const noexcept { return side_; }
  /// Null at a client.
  [[nodiscard]] WsTopics* topics() const noexcept { return topics_; }
  /// Masks what a client sends.
  [[nodiscard]] const ws::MessageWriter& writer() const noexcept { return writer_; }
  [[nodiscard]] LogSink* log() const noexcept { return log_ == nullptr ? nullptr : log_->get(); }

  /// What all readers of this thread share.
  [[nodiscard]] Buffer& scratch() noexcept { return scratch_; }
  [[nodiscard]] Buffer& second_scratch() noexcept { return second_scratch_; }
  /// The payload of the ping that is answered at the end of a batch.
  [[nodiscard]] const Buffer& owed_pong() const noexcept { return owed_pong_; }
  void owe_pong(std::string_view payload) {
    owed_pong_.clear();
    owed_pong_.append(payload);
  }

  [[nodiscard]] std::unique_ptr<WsInbox> take_inbox();
  void give_back(std::unique_ptr<WsInbox> inbox);

  /// Has session.run() called later in this turn, where no handler is under way. As Loop::defer
  /// does for a Deferred, which would be 24 bytes of each session.
  void defer(WsSession& session);
  /// Pre: it is deferred.
  void withdraw(WsSession& session) noexcept;

  /// The session of a server's line, which it ends by Upgraded::on_line_gone.
  [[nodiscard]] WsSession& make_session(const WsRoute& route, UpgradedLine& line,
                                        const WsAgreement& agreement);
  /// Pre: of make_session.
  void destroy(WsSession& session) noexcept;
  /// Keeps a session whose line has gone until its handler has come to its end.
  void adopt(WsSession& session);
  void release(WsSession& session) noexcept;
  void release_all() noexcept;
  [[nodiscard]] std::size_t orphans() const noexcept { return orphans_.size(); }
  /// Of memory, for the sessions.
  [[nodiscard]] std::size_t session_blocks() const noexcept;

 private:
  /// The sessions that are deferred; null for one that was withdrawn.
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
  Buffer scratch_;
  Buffer second_scratch_;
  Buffer owed_pong_;
  std::vector<std::unique_ptr<WsInbox>> spare_inboxes_;
  Turn turn_{*this};
  Slab<WsSession> sessions_;
  std::vector<WsSession*> orphans_;
};

}  // namespace eider::ws::detail
