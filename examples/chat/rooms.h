// All rooms with their users and last messages, in memory, for all threads.
// Layering: must not know sockets, or do anything slow under its lock.
#pragma once

#include <eider/eider.h>
#include <eider/presence.h>
#include <eider/text.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol.h"

namespace chat {

/// "Tea & Cake!" means the room tea-cake; empty: none can be meant.
[[nodiscard]] inline std::string room_name_of(std::string_view text) {
  return eider::to_slug(text, 32);
}
/// A guard: what is no room's name in a path is a 404.
[[nodiscard]] eider::Result<void> expect_room_name(std::string_view room);
/// What a room's pages are subscribed to.
[[nodiscard]] inline std::string topic_of(const std::string& room) {
  return "room/" + room;
}

/// Somebody was let in. There is no news for the others when they were here before.
struct Entered {
  Welcome welcome;
  std::optional<Presence> news;
};

struct BusyRoom {
  std::string name;
  std::size_t people;
};

class Rooms {
 public:
  /// Rooms are made when somebody enters or speaks; when there are too many, the one goes that has
  /// been empty for longest.
  ///
  /// errors  why not: the detail is for the person
  [[nodiscard]] eider::Result<Entered> enter(const std::string& room, const Join& join);
  /// One page of a person is gone. Nothing when they are still here with another.
  [[nodiscard]] std::optional<Presence> leave(const std::string& room, const std::string& name);
  /// By a person in the room, or by a form without entering. Errors as of `enter`.
  [[nodiscard]] eider::Result<Message> add(const std::string& room, const Join& as, const Say& say);

  /// Those with people in them, by name.
  [[nodiscard]] std::vector<BusyRoom> busy() const;
  /// For a page that asks without having joined.
  [[nodiscard]] Welcome look(const std::string& room) const;

 private:
  struct Room {
    eider::PresenceTracker people{{.members_max = 100, .connections_per_member_max = 20}};
    /// A client gets them for a hundred bytes. As JSON they may be six times as long.
    eider::History<Message> messages{{.entries_max = 100, .bytes_max = 16UL * 1024}};
    std::chrono::steady_clock::time_point used;  // when somebody left or spoke last

    [[nodiscard]] Welcome welcome(std::optional<std::int64_t> next_id = {}) const;
  };

  [[nodiscard]] eider::Result<Room*> find_or_make(const std::string& name);

  mutable std::mutex mutex_;
  std::map<std::string, Room> rooms_;
};

}  // namespace chat
