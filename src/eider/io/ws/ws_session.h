// One WebSocket connection of either side: joins its endpoint with a handler and with topics.
// Must not hold a buffer while nothing is under way, and never runs a handler from another's call.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/io/runtime/task.h"
#include "eider/io/runtime/upgraded.h"
#include "eider/io/ws/websocket.h"
#include "eider/io/ws/ws_endpoint.h"
#include "eider/io/ws/ws_inbox.h"
#include "eider/io/ws/ws_route.h"
#include "eider/io/ws/ws_shared.h"

namespace eider::ws::detail {

/// An entry of the list that the topics keep for each connection.
struct WsSubscriptionLink {
  WsSubscriptionLink* next = nullptr;
};

/// What the hub keeps of a connection.
struct WsSubscriber {
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  WsSubscriptionLink* subscriptions = nullptr;
  std::uint32_t first_pending = kNone;
  std::uint32_t last_pending = kNone;
};

class WsSession final : public WebSocketRef,
                        public WsSubscriber,
                        private TaskOwner,
                        public WsEndpoint {
 public:
  WsSession(WsShared& shared, const WsRoute& route, UpgradedLine& line,
            const WsAgreement& agreement);
  ~WsSession();

  /// Once. What it starts begins later in this turn, or with the first bytes.
  void start(WsPurpose purpose);
  /// In place of a start, for an owner that is no handler: what arrives waits for it. It may
  /// destroy the session once it hears of the end.
  [[nodiscard]] WebSocket hand_out();

  // As Upgraded has it, with on_drained.
  void on_bytes(std::string_view bytes);
  void on_end();
  void on_broken();
  void on_stopping();
  /// The line is gone. Whether its handler still has to hear of it, and WsShared has to keep this.
  [[nodiscard]] bool outlives_line() noexcept;

  // For the handler.
  using WsEndpoint::is_open;
  void close(CloseCode code, std::string_view reason);
  /// Where other loops cannot keep up with what it publishes, this connection is not read.
  ///
  /// except  does not get the message; may be null
  void publish(std::string_view topic, const WsMessage& message, const WsSession* except);
  [[nodiscard]] std::string_view agreed_subprotocol() const noexcept;
  [[nodiscard]] std::string address() const;

  // For the hub.
  [[nodiscard]] bool is_held_back() const noexcept { return is_held_back_; }
  void hold_back() noexcept { is_held_back_ = true; }
  void go_on_reading() noexcept;

  // For the coroutine that waits.
  void change_handle(WebSocket* handle) noexcept { handle_ = handle; }
  [[nodiscard]] bool has_news();
  [[nodiscard]] std::optional<WsMessage> take();
  [[nodiscard]] WsWaiter::Queue& arrival() noexcept { return arrival_; }
  [[nodiscard]] WsWaiter::Queue& room() noexcept { return room_; }

 private:
  // As WsEndpoint.
  void on_message(const WsMessage& message) override;
  void on_failure(const std::exception_ptr& thrown) noexcept override;
  void on_room() noexcept override { wake(room_); }
  void on_closing() noexcept override;
  void on_ending() noexcept override;
  [[nodiscard]] bool has_unserved() const noexcept override { return inbox_ != nullptr; }
  [[nodiscard]] bool is_full() const noexcept override;
  [[nodiscard]] bool is_served() const noexcept override {
    return task_.is_empty() && !owes_closed_ && is_started_;
  }
  void end_serving() noexcept override;
  void on_settled() noexcept override { output().shared().release(*this); }

  void begin_handler() noexcept;
  void on_task_done() noexcept override;
  void run() override;
  void end_task() noexcept;
  void tell_closed() noexcept;
  [[nodiscard]] bool is_end_told() const noexcept;
  void wake(WsWaiter::Queue& queue) noexcept;

  // The small ones first: see WsEndpoint.
  std::uint8_t subprotocol_;
  bool is_started_ : 1 = false;
  bool is_held_back_ : 1 = false;
  bool has_closed_ : 1 = false;                  // the handler has: it gets no more messages
  bool owes_closed_ : 1 = false;                 // `opened` was called
  const WebSocketHandlers* handlers_ = nullptr;  // null with a coroutine
  WebSocket* handle_ = nullptr;
  Task<> task_;
  std::unique_ptr<WsInbox> inbox_;  // null while there is no message
  WsWaiter::Queue arrival_;
  WsWaiter::Queue room_;
};

// An idle connection costs this, its line, and the handler's frame when there is one. (What the
// heap gives to 320 bytes holds 328.)
static_assert(sizeof(WsSession) <= 328);

}  // namespace eider::ws::detail
