#include <eider/eider.h>
#include <eider/runtime.h>

#include <optional>
#include <string>
#include <utility>

#include "chat.h"

namespace chat {

using namespace eider;

namespace {

/// Maximum size of a message from a page, as JSON: a text of 1,000 characters, each of them
/// escaped.
constexpr std::size_t kPageMessageBytesMax = 16UL * 1024;
/// Number of consecutive rejections that ends the connection: the client is not a person.
constexpr int kRefusalsMax = 20;
/// Short, because a page knows the user's name before it connects.
constexpr Duration kJoinWithin = std::chrono::seconds(5);

/// The connection of one page. However it ends, the destructor removes the user and informs the
/// others.
class Talk {
 public:
  Talk(WebSocket& socket, std::string room, Rooms& rooms, Topics& topics)
      : socket_(socket), rooms_(rooms), topics_(topics), room_(std::move(room)) {}
  Talk(const Talk&) = delete;
  Talk& operator=(const Talk&) = delete;
  ~Talk() {
    if (me_) {
      if (const auto news = rooms_.leave(room_, *me_->name)) {
        topics_.publish(topic_, to_json(*news));
      }
    }
  }

  void hear(const WsMessage& message) {
    if (const auto said = read_json<FromPage>(message)) {
      std::visit([this](const auto& it) { on(it); }, *said);
    } else {
      refuse(said.error().summary());
    }
  }

  [[nodiscard]] bool has_joined() const noexcept { return me_.has_value(); }

 private:
  void on(const Join& join) {
    if (me_) {
      return refuse("You are in this room already.");
    }
    // Subscribe first, then read the history, so that no message is lost in between. Pages
    // recognize duplicates by their ids.
    socket_.subscribe(topic_);
    auto entered = rooms_.enter(room_, join);
    if (!entered) {
      socket_.unsubscribe(topic_);
      return refuse(entered.error().detail());
    }
    me_ = join;
    socket_.try_send(to_json(std::move(entered->welcome)));
    if (entered->news) {
      socket_.publish_to_others(topic_, to_json(*entered->news));
    }
  }

  void on(const Say& say) {
    if (may_speak(*say.ref)) {
      socket_.publish(topic_, to_json(rooms_.add(room_, *me_, say).value()));
    }
  }

  void on(const Write& /*write*/) {
    if (may_speak({})) {
      socket_.publish_to_others(topic_, to_json(Writes{*me_->name}));
    }
  }

  bool may_speak(const std::string& ref) {
    const bool may = me_ && pace_.take(Loop::current().now());
    if (may) {
      refusals_ = 0;
    } else {
      refuse(me_ ? "Too fast: wait a moment." : "Join first.", ref);
    }
    return may;
  }

  void refuse(std::string why, std::string ref = {}) {
    socket_.try_send(to_json(Refused{std::move(why), std::move(ref)}));
    if (++refusals_ == kRefusalsMax) {
      socket_.close(CloseCode::policy_violation, "too many rejected messages");
    }
  }

  WebSocket& socket_;
  Rooms& rooms_;
  Topics& topics_;
  std::string room_;
  std::string topic_ = topic_of(room_);
  std::optional<Join> me_;
  /// Allows ten messages at once, and then two per second.
  TokenBucket pace_{10, std::chrono::milliseconds(500)};
  int refusals_ = 0;
};

Task<> let_in(WebSocket& socket, Talk& with_page) {
  while (auto message = co_await socket.receive()) {
    with_page.hear(*message);
    if (with_page.has_joined()) {
      co_return;
    }
  }
}

Task<> talk(WebSocket socket, std::string room, State<Rooms> rooms, State<Topics> topics) {
  Talk with_page(socket, std::move(room), *rooms, *topics);
  if (!co_await with_deadline(let_in(socket, with_page), kJoinWithin)) {
    socket.close(CloseCode::policy_violation, "no join message was received");
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
          .queued_messages_max = 32})
      .guard(expect_room_name);
}

}  // namespace chat
