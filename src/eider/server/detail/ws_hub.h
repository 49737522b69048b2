// One loop's share of the topics: its subscriptions, and what is published in one turn.
// Must not be touched from another thread, and runs no code of the application.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/base/buffer.h"
#include "eider/base/log.h"
#include "eider/base/slab.h"
#include "eider/runtime/deferred.h"
#include "eider/runtime/loop.h"
#include "eider/server/detail/topic_index.h"
#include "eider/server/detail/ws_inbox.h"
#include "eider/server/detail/ws_published.h"

namespace eider::detail {

class WsSession;
struct WsSubscription;

/// How a connection gets what is published.
enum class WsForm : std::uint8_t {
  plain,
  /// Compressed once for all of them: no window is kept between messages, and it is the largest.
  shared,
  /// By its own compressor.
  own,
};

/// A topic as one loop knows it.
struct WsTopic {
  std::string name;
  TopicIndex::Entry* entry = nullptr;
  std::vector<WsSubscription*> subscriptions;
  std::size_t shared_forms = 0;  // of them
  std::size_t runs = 0;          // of this turn
};

struct WsSubscription {
  WsTopic* topic;
  WsSession* session;
  std::size_t index;        // in the topic's list
  std::uint64_t first_run;  // what was published before is not for it
  WsSubscription* next;     // of the same session
};

class WsHub final : private Deferred {
 public:
  WsHub(Loop& loop, TopicIndex& index);
  ~WsHub();

  void subscribe(WsSession& session, std::string_view topic);
  void unsubscribe(WsSession& session, std::string_view topic);
  void unsubscribe_all(WsSession& session) noexcept;

  /// Here at the end of this turn, and on all other loops with subscribers.
  ///
  /// except  does not get it; may be null
  void publish(std::string_view topic, const WsMessage& message, const WsSession* except);
  /// What another loop or thread has published.
  void publish_here(std::string_view topic, const Published& message);

  [[nodiscard]] Loop& loop() const noexcept { return loop_; }
  /// What all readers of this thread share.
  [[nodiscard]] Buffer& scratch() noexcept { return scratch_; }
  [[nodiscard]] Buffer& second_scratch() noexcept { return second_scratch_; }
  /// The payload of the ping that is answered at the end of a batch.
  [[nodiscard]] Buffer& owed_pong() noexcept { return owed_pong_; }
  /// What compresses for all connections of WsForm::shared; the first one's serves them all.
  void provide_codec(const WebSocketCompression& compression, const ws::DeflateTerms& terms);

  [[nodiscard]] std::unique_ptr<WsInbox> take_inbox();
  void give_back(std::unique_ptr<WsInbox> inbox);

  /// Keeps a connection whose line has gone until its handler has come to its end.
  void adopt(std::unique_ptr<WsSession> session);
  void release(WsSession& session) noexcept;

  [[nodiscard]] LogSink* log() const noexcept { return index_.log.get(); }
  [[nodiscard]] std::size_t orphans() const noexcept { return orphans_.size(); }

 private:
  /// Messages of one turn that follow each other for the same subscribers: one send for each.
  struct Run {
    struct Piece {
      std::size_t begin;
      std::size_t bytes;
      ws::MessageType type;
    };
    WsTopic* topic = nullptr;
    const WsSession* except = nullptr;
    Buffer plain;
    Buffer shared;              // the same, compressed; empty when nobody takes it
    std::vector<Piece> pieces;  // the payloads within `plain`
  };
  /// One run for one session, in a list.
  struct Pending {
    std::uint32_t run;
    std::uint32_t next;
  };

  void run() override;
  [[nodiscard]] WsTopic& join(std::string_view name);
  void leave(WsTopic& topic) noexcept;
  void remove(WsSubscription& subscription) noexcept;
  [[nodiscard]] WsTopic* find(std::string_view name) const noexcept;
  [[nodiscard]] Run& run_for(WsTopic& topic, const WsSession* except);
  void note_piece(Run& run, const WsMessage& message);
  void compress_piece(Run& run, const WsMessage& message);
  void spread(std::uint32_t run);
  void hand_out(WsSession& session);
  void hand_out(WsSession& session, const Run& run);
  void forget_batch() noexcept;

  Loop& loop_;
  TopicIndex& index_;
  TopicMap<std::unique_ptr<WsTopic>> topics_;
  Slab<WsSubscription> subscriptions_;
  std::vector<Run> runs_;  // the first run_count_ are in use
  std::uint32_t run_count_ = 0;
  std::uint64_t runs_before_ = 0;  // of all turns past
  bool is_last_run_open_ = false;  // more may be added to it
  std::vector<Pending> pending_;
  std::vector<WsSession*> touched_;
  Buffer scratch_;
  Buffer second_scratch_;
  Buffer owed_pong_;
  std::unique_ptr<ws::MessageCodec> codec_;
  std::vector<std::unique_ptr<WsInbox>> spare_inboxes_;
  std::vector<std::unique_ptr<WsSession>> orphans_;
};

}  // namespace eider::detail
