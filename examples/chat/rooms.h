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

/// Returns the name of a room: tea-cake for "Tea & Cake!"; empty if the text contains no valid
/// characters.
[[nodiscard]] inline std::string room_name_of(std::string_view text) {
  return eider::to_slug(text, 32);
}
/// A guard: paths with an invalid room name get a 404.
[[nodiscard]] eider::Result<void> expect_room_name(std::string_view room);
/// Returns the topic that the pages of a room subscribe to.
[[nodiscard]] inline std::string topic_of(const std::string& room) {
  return "room/" + room;
}

/// The result of a successful `enter`. `news` is empty if the user was already present.
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
  /// Rooms are created when a user enters or posts a message. Above the limit, the room that has
  /// been empty for the longest time is deleted.
  ///
  /// errors  the reason, as detail for the user
  [[nodiscard]] eider::Result<Entered> enter(const std::string& room, const Join& join);
  /// Removes one page of a user. Returns nothing if the user still has another page.
  [[nodiscard]] std::optional<Presence> leave(const std::string& room, const std::string& name);
  /// Adds a message of a user in the room, or of a form without entering. Errors as for `enter`.
  [[nodiscard]] eider::Result<Message> add(const std::string& room, const Join& as, const Say& say);

  /// Returns the rooms with users, ordered by name.
  [[nodiscard]] std::vector<BusyRoom> busy() const;
  /// Returns the state for a page that has not joined.
  [[nodiscard]] Welcome look(const std::string& room) const;

 private:
  struct Room {
    eider::PresenceTracker people{{.members_max = 100, .connections_per_member_max = 20}};
    /// Limited, because a client gets all of them for a request of a hundred bytes, and JSON may be
    /// six times as long.
    eider::History<Message> messages{{.entries_max = 100, .bytes_max = 16UL * 1024}};
    std::chrono::steady_clock::time_point used;  // the last time that a user left or posted

    [[nodiscard]] Welcome welcome(std::optional<std::int64_t> next_id = {}) const;
  };

  [[nodiscard]] eider::Result<Room*> find_or_make(const std::string& name);

  mutable std::mutex mutex_;
  std::map<std::string, Room> rooms_;
};

}  // namespace chat
