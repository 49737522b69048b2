#include "talk.h"

#include <eider/app/websocket.h>
#include <eider/eider.h>

#include <optional>
#include <string>
#include <utility>

#include "pace.h"
#include "protocol.h"
#include "room_name.h"
#include "rooms.h"
#include "seat.h"

namespace chat {

using namespace eider;

namespace {

/// So many refusals in a row end the connection: that is no person.
constexpr int kRefusalsMax = 20;
/// A page knows who it is before it connects.
constexpr Duration kJoinWithin = std::chrono::seconds(5);

class Talk {
 public:
  Talk(WebSocket& socket, std::string room, Rooms& rooms, Topics& topics)
      : socket_(socket),
        rooms_(rooms),
        topics_(topics),
        room_(std::move(room)),
        topic_(topic_of(room_)) {}

  void hear(const WsMessage& message) {
    if (!message.is_text()) {
      return refuse("Only text is understood here.");
    }
    auto said = read_from_page(message.bytes);
    if (!said) {
      return refuse(said.error());
    }
    std::visit([this](const auto& it) { on(it); }, *said);
  }

  [[nodiscard]] bool has_joined() const noexcept { return seat_.has_value(); }

 private:
  void on(const Join& join) {
    if (seat_) {
      return refuse("You are in this room already.");
    }
    // First the topic, then the past: so nothing can fall in between. What comes twice has an id.
    socket_.subscribe(topic_);
    auto entered = rooms_.enter(room_, join);
    if (!entered) {
      socket_.unsubscribe(topic_);
      return refuse(entered.error());
    }
    seat_.emplace(rooms_, topics_, room_, *join.name);
    socket_.try_send(to_json(std::move(entered->welcome)));
    if (entered->news) {
      socket_.publish_to_others(topic_, text_of(to_json(*entered->news)));
    }
  }

  void on(const Say& say) {
    if (!may_speak(*say.ref)) {
      return;
    }
    socket_.publish(topic_, to_json(rooms_.add(room_, seat_->name(), say)));
  }

  void on(const Write& /*write*/) {
    if (may_speak({})) {
      socket_.publish_to_others(topic_, text_of(to_json(Writes{seat_->name()})));
    }
  }

  bool may_speak(const std::string& ref) {
    if (!seat_) {
      refuse("Join first.", ref);
      return false;
    }
    if (!pace_.try_step(Loop::current().now())) {
      refuse("Too fast: wait a moment.", ref);
      return false;
    }
    refusals_ = 0;
    return true;
  }

  void refuse(std::string why, std::string ref = {}) {
    socket_.try_send(to_json(Refused{std::move(why), std::move(ref)}));
    if (++refusals_ == kRefusalsMax) {
      socket_.close(CloseCode::policy_violation, "too many messages that were refused");
    }
  }

  static WsMessage text_of(const std::string& text) noexcept { return {.bytes = text}; }

  WebSocket& socket_;
  Rooms& rooms_;
  Topics& topics_;
  std::string room_;
  std::string topic_;
  Pace pace_;
  int refusals_ = 0;
  std::optional<Seat> seat_;
};

Task<> let_in(WebSocket& socket, Talk& with_page) {
  while (auto message = co_await socket.receive()) {
    with_page.hear(*message);
    if (with_page.has_joined()) {
      co_return;
    }
  }
}

Task<> talk(WebSocket socket, RoomName room, State<Rooms> rooms, State<Topics> topics) {
  Talk with_page(socket, std::move(room.text), *rooms, *topics);
  if (!co_await with_deadline(let_in(socket, with_page), kJoinWithin)) {
    socket.close(CloseCode::policy_violation, "nobody has joined");
    co_return;
  }
  while (auto message = co_await socket.receive()) {
    with_page.hear(*message);
  }
}

}  // namespace

void add_talk(App& app) {
  app.ws("/ws/{room}", talk,
         {.message_bytes_max = kPageMessageBytesMax,
          .queued_bytes_max = 4 * kPageMessageBytesMax,
          .queued_messages_max = 32});
}

}  // namespace chat
