// The topics of one event loop: its subscriptions, and the messages of one turn.
// Layering: must not be touched from another thread, and runs no code of the application.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/core/base/shared_log.h"
#include "eider/core/base/slab.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/timer.h"
#include "eider/io/ws/ws_shared.h"
#include "eider/server/topic_index.h"
#include "eider/server/ws_published.h"

namespace eider::detail::server {

/// Messages from other threads to one loop's topics, limited in bytes.
class HubInbox {
 public:
  /// Beyond this, publishers that can be paused are paused.
  static constexpr std::size_t kFullBytes = 8UL * 1024 * 1024;
  /// Beyond this, messages are dropped, and subscribers of their topics are notified of a gap.
  static constexpr std::size_t kBytesMax = 2 * kFullBytes;

  struct Content {
    std::vector<SharedMessage> messages;
    std::vector<std::string> gaps;  // topics with dropped messages
  };

  // From any thread.

  /// returns  whether the inbox was empty: the loop must be woken
  [[nodiscard]] bool put(const SharedMessage& message) {
    const std::lock_guard lock(mutex_);
    const bool was_empty = content_.messages.empty() && content_.gaps.empty();
    if (bytes_ + message->memory_bytes() <= kBytesMax || content_.messages.empty()) {
      bytes_ += message->memory_bytes();
      content_.messages.push_back(message);
    } else if (gaps_.emplace(message->topic()).second) {
      content_.gaps.emplace_back(message->topic());
    }
    return was_empty;
  }
  [[nodiscard]] bool is_full() const {
    const std::lock_guard lock(mutex_);
    return bytes_ > kFullBytes;
  }

  /// Returns and removes everything. On the loop's thread.
  [[nodiscard]] Content take() {
    const std::lock_guard lock(mutex_);
    bytes_ = 0;
    gaps_.clear();
    return std::exchange(content_, {});
  }

 private:
  mutable std::mutex mutex_;
  Content content_;
  std::set<std::string, std::less<>> gaps_;
  std::size_t bytes_ = 0;
};

struct WsSubscription;

/// A topic with subscribers on one loop.
struct WsTopic {
  std::string name;
  TopicIndex::Entry* entry = nullptr;
  std::vector<WsSubscription*> subscriptions;
  std::vector<TopicListener*> listeners;
  std::size_t shared_forms = 0;  // subscriptions that use WsForm::shared
  // Data shared by slow subscribers: plain frames, compressed frames, events.
  base::SharedLog plain_log;
  base::SharedLog shared_log;
  base::SharedLog event_log;
  std::size_t runs = 0;  // of this turn that refer to this

  [[nodiscard]] std::size_t size() const noexcept {
    return subscriptions.size() + listeners.size();
  }
};

struct WsSubscription : ws::detail::WsSubscriptionLink {
  static constexpr std::uint32_t kUntouched = 0xFFFFFFFF;

  WsTopic* topic = nullptr;
  ws::detail::WsSession* session = nullptr;
  std::uint32_t index = 0;  // position in the topic's list
  /// In a session's first subscription: its index in WsHub::touched_ while the runs of this turn
  /// are sent.
  std::uint32_t touched = kUntouched;
  std::uint64_t first_run = 0;  // earlier runs are not for this subscription
};

class WsHub final : public ws::detail::WsShared,
                    public ws::detail::WsTopics,
                    private Deferred,
                    private Timer {
 public:
  WsHub(Loop& loop, TopicIndex& index);
  ~WsHub();

  void subscribe(ws::detail::WsSession& session, std::string_view topic) override;
  void unsubscribe(ws::detail::WsSession& session, std::string_view topic) override;
  void unsubscribe_all(ws::detail::WsSession& session) noexcept override;

  /// Publishes here at the end of this turn, and to all other loops with subscribers.
  bool publish(std::string_view topic, const WsMessage& message,
               const ws::detail::WsSession* except) override;
  void hold_back(ws::detail::WsSession& session) override;
  void forget_held_back(ws::detail::WsSession& session) noexcept override;

  void listen(TopicListener& listener, std::string_view topic);
  void listen_no_more(TopicListener& listener) noexcept;
  void drain();
  /// A hub that is left over from an ended loop may serve another loop at the same address.
  void begin() noexcept { is_draining_ = false; }
  /// For messages from other loops and threads.
  [[nodiscard]] HubInbox& inbox() noexcept { return inbox_; }
  void take_inbox();
  /// Returns the current event in shared memory, for listeners.
  [[nodiscard]] base::SharedBytes share_event();

  void provide_codec(const WebSocketCompression& compression,
                     const ws::DeflateTerms& terms) override;

 private:
  /// Consecutive messages of one turn for the same subscribers: one send for each subscriber.
  struct Run {
    struct Piece {
      std::size_t begin;
      std::size_t bytes;
      ws::MessageType type;
    };
    WsTopic* topic = nullptr;
    const ws::detail::WsSession* except = nullptr;
    Buffer plain;
    Buffer shared;              // the same, compressed; empty if no subscriber uses it
    std::vector<Piece> pieces;  // the payloads within `plain`
    // Shared copies for connections that cannot send at once; created on first use.
    base::SharedBytes kept_plain;
    base::SharedBytes kept_shared;
  };
  /// One run for one session, in a linked list.
  struct Pending {
    std::uint32_t run;
    std::uint32_t next;
  };

  /// A session that receives runs in this turn, with its first and last Pending.
  struct Touched {
    ws::detail::WsSession* session;
    std::uint32_t first;
    std::uint32_t last;
  };

  /// The event that listeners are being called with.
  struct Told {
    WsTopic* topic = nullptr;
    std::string_view event;
    base::SharedBytes kept;
  };

  void run() override;
  void expire() override;
  void publish_here(const Published& message);
  void tell_gap(std::string_view topic);
  [[nodiscard]] WsTopic& join(std::string_view name);
  void leave(WsTopic& topic) noexcept;
  void remove(WsSubscription& subscription) noexcept;
  void leave_if_unused(WsTopic& topic) noexcept;
  void tell_listeners(WsTopic& topic, std::string_view event);
  [[nodiscard]] WsTopic* find(std::string_view name) const noexcept;
  [[nodiscard]] Run& run_for(WsTopic& topic, const ws::detail::WsSession* except);
  void note_piece(Run& run, const WsMessage& message);
  void compress_piece(Run& run, const WsMessage& message);
  void spread(std::uint32_t run);
  void hand_out(const Touched& touched);
  void hand_out(ws::detail::WsSession& session, Run& run);
  static void hand_out(ws::detail::WsSession& session, std::string_view frames,
                       base::SharedLog& log, base::SharedBytes& kept);
  void forget_batch() noexcept;

  TopicIndex& index_;
  TopicMap<std::unique_ptr<WsTopic>> topics_;
  Slab<WsSubscription> subscriptions_;
  std::vector<Run> runs_;  // the first run_count_ are in use
  std::uint32_t run_count_ = 0;
  std::uint64_t runs_before_ = 0;  // of all previous turns
  bool is_last_run_open_ = false;  // more messages may be added to it
  bool is_draining_ = false;
  std::vector<Pending> pending_;
  std::vector<Touched> touched_;
  std::unique_ptr<ws::MessageCodec> codec_;
  HubInbox inbox_;
  Told told_;
  std::vector<ws::detail::WsSession*> held_back_;
};

}  // namespace eider::detail::server
