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
#include "eider/base/slab.h"
#include "eider/runtime/deferred.h"
#include "eider/server/topic_index.h"
#include "eider/server/ws_published.h"
#include "eider/ws/ws_shared.h"

namespace eider::detail::server {

struct WsSubscription;

/// A topic as one loop knows it.
struct WsTopic {
  std::string name;
  TopicIndex::Entry* entry = nullptr;
  std::vector<WsSubscription*> subscriptions;
  std::vector<TopicListener*> listeners;
  std::size_t shared_forms = 0;  // of them
  std::size_t runs = 0;          // of this turn

  [[nodiscard]] std::size_t size() const noexcept {
    return subscriptions.size() + listeners.size();
  }
};

struct WsSubscription {
  WsTopic* topic;
  ws::detail::WsSession* session;
  std::size_t index;        // in the topic's list
  std::uint64_t first_run;  // what was published before is not for it
  WsSubscription* next;     // of the same session
};

class WsHub final : public ws::detail::WsShared, public ws::detail::WsTopics, private Deferred {
 public:
  WsHub(Loop& loop, TopicIndex& index);
  ~WsHub();

  void subscribe(ws::detail::WsSession& session, std::string_view topic) override;
  void unsubscribe(ws::detail::WsSession& session, std::string_view topic) override;
  void unsubscribe_all(ws::detail::WsSession& session) noexcept override;

  /// Here at the end of this turn, and on all other loops with subscribers.
  void publish(std::string_view topic, const WsMessage& message,
               const ws::detail::WsSession* except) override;

  void listen(TopicListener& listener, std::string_view topic);
  void listen_no_more(TopicListener& listener) noexcept;
  void drain();
  /// A hub that is left of a loop that is no more may serve another one at its address.
  void begin() noexcept { is_draining_ = false; }
  /// What another loop or thread has published.
  void publish_here(std::string_view topic, const Published& message);

  void provide_codec(const WebSocketCompression& compression,
                     const ws::DeflateTerms& terms) override;

 private:
  /// Messages of one turn that follow each other for the same subscribers: one send for each.
  struct Run {
    struct Piece {
      std::size_t begin;
      std::size_t bytes;
      ws::MessageType type;
    };
    WsTopic* topic = nullptr;
    const ws::detail::WsSession* except = nullptr;
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
  void leave_if_unused(WsTopic& topic) noexcept;
  static void tell_listeners(const WsTopic& topic, std::string_view event);
  [[nodiscard]] WsTopic* find(std::string_view name) const noexcept;
  [[nodiscard]] Run& run_for(WsTopic& topic, const ws::detail::WsSession* except);
  void note_piece(Run& run, const WsMessage& message);
  void compress_piece(Run& run, const WsMessage& message);
  void spread(std::uint32_t run);
  void hand_out(ws::detail::WsSession& session);
  void hand_out(ws::detail::WsSession& session, const Run& run);
  void forget_batch() noexcept;

  TopicIndex& index_;
  TopicMap<std::unique_ptr<WsTopic>> topics_;
  Slab<WsSubscription> subscriptions_;
  std::vector<Run> runs_;  // the first run_count_ are in use
  std::uint32_t run_count_ = 0;
  std::uint64_t runs_before_ = 0;  // of all turns past
  bool is_last_run_open_ = false;  // more may be added to it
  bool is_draining_ = false;
  std::vector<Pending> pending_;
  std::vector<ws::detail::WsSession*> touched_;
  std::unique_ptr<ws::MessageCodec> codec_;
};

}  // namespace eider::detail::server
