// WebSockets on Beast: echo, and rooms as its chat example writes them.
// Must not touch a socket from another thread than its own: messages are handed to its executor.
#pragma once

#include <algorithm>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "aliases.h"

namespace arena {

namespace websocket = beast::websocket;

class WsSession;

/// One message that several sockets send: it is kept once.
struct RoomMessage {
  std::string text;
  bool is_text;
};
using RoomMessagePointer = std::shared_ptr<const RoomMessage>;

/// Who is in which room.
class Rooms {
 public:
  void join(const std::string& name, WsSession& session);
  void leave(const std::string& name, WsSession& session);
  void publish(const std::string& name, const RoomMessagePointer& message);

 private:
  std::mutex mutex_;
  std::map<std::string, std::set<WsSession*>> rooms_;
};

/// What a target asks for: an echo, or a room by its name.
struct WsTarget {
  bool is_known = false;
  std::string room = {};  // empty: echo
};

inline WsTarget ws_target(std::string_view target) {
  constexpr std::string_view kRoom = "/ws/room/";
  if (target == "/ws") {
    return {true};
  }
  const bool is_room = target.substr(0, kRoom.size()) == kRoom && target.size() > kRoom.size();
  return is_room ? WsTarget{true, std::string(target.substr(kRoom.size()))} : WsTarget{};
}

class WsSession : public std::enable_shared_from_this<WsSession> {
 public:
  WsSession(Socket socket, Rooms& rooms, std::string room)
      : ws_(std::move(socket)), rooms_(rooms), room_(std::move(room)) {}

  ~WsSession() {
    if (is_member_) {
      rooms_.leave(room_, *this);
    }
  }

  template <typename Request>
  void start(const Request& request) {
    ws_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    ws_.async_accept(request, [self = shared_from_this()](const auto& error) {
      if (!error) {
        self->on_accepted();
      }
    });
  }

  /// From any thread.
  void send(const RoomMessagePointer& message) {
    net::dispatch(ws_.get_executor(), [self = shared_from_this(), message] {
      self->queue_.push_back(message);
      if (self->queue_.size() == 1) {
        self->write_next();
      }
    });
  }

 private:
  void on_accepted() {
    if (!room_.empty()) {
      rooms_.join(room_, *this);
      is_member_ = true;
    }
    read();
  }

  void read() {
    ws_.async_read(buffer_, [self = shared_from_this()](const auto& error, std::size_t) {
      if (!error) {
        self->room_.empty() ? self->echo() : self->publish();
      }
    });
  }

  void echo() {
    ws_.text(ws_.got_text());
    ws_.async_write(buffer_.data(), [self = shared_from_this()](const auto& error, std::size_t) {
      if (!error) {
        self->buffer_.consume(self->buffer_.size());
        self->read();
      }
    });
  }

  void publish() {
    auto message = std::make_shared<const RoomMessage>(
        RoomMessage{beast::buffers_to_string(buffer_.data()), ws_.got_text()});
    buffer_.consume(buffer_.size());
    rooms_.publish(room_, message);
    read();
  }

  void write_next() {
    ws_.text(queue_.front()->is_text);
    ws_.async_write(net::buffer(queue_.front()->text),
                    [self = shared_from_this()](const auto& error, std::size_t) {
                      if (!error) {
                        self->on_written();
                      }
                    });
  }

  void on_written() {
    queue_.pop_front();
    if (!queue_.empty()) {
      write_next();
    }
  }

  websocket::stream<Socket> ws_;
  Rooms& rooms_;
  std::string room_;
  beast::flat_buffer buffer_;
  std::deque<RoomMessagePointer> queue_;
  bool is_member_ = false;
};

inline void Rooms::join(const std::string& name, WsSession& session) {
  const std::lock_guard<std::mutex> lock(mutex_);
  rooms_[name].insert(&session);
}

inline void Rooms::leave(const std::string& name, WsSession& session) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto room = rooms_.find(name);
  room->second.erase(&session);
  if (room->second.empty()) {
    rooms_.erase(room);
  }
}

inline void Rooms::publish(const std::string& name, const RoomMessagePointer& message) {
  // Sessions that are kept until the lock is gone: the last one to go takes it itself.
  std::vector<std::shared_ptr<WsSession>> members;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (WsSession* session : rooms_[name]) {
      if (auto held = session->weak_from_this().lock()) {
        members.push_back(std::move(held));
      }
    }
  }
  for (const auto& member : members) {
    member->send(message);
  }
}

}  // namespace arena
