// Somebody's place in a room, for as long as it exists.
// Must not send to its own page: it tells the others.
#pragma once

#include <eider/server/topics.h>

#include <string>
#include <utility>

#include "rooms.h"

namespace chat {

/// What a room's pages are subscribed to.
[[nodiscard]] inline std::string topic_of(const std::string& room) {
  return "room/" + room;
}

/// Whatever ends the connection, the destructor gives the place up and says so.
class Seat {
 public:
  /// Pre: rooms.enter(room, …) has let somebody in by this name.
  Seat(Rooms& rooms, eider::Topics& topics, std::string room, std::string name)
      : rooms_(rooms), topics_(topics), room_(std::move(room)), name_(std::move(name)) {}
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;
  ~Seat() {
    if (const auto news = rooms_.leave(room_, name_)) {
      topics_.publish(topic_of(room_), to_json(*news));
    }
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  Rooms& rooms_;
  eider::Topics& topics_;
  std::string room_;
  std::string name_;
};

}  // namespace chat
