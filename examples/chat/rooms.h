// All rooms of the service, for all of its threads; as many as there may be, and no more.
// Must not know sockets, nor do anything slow under its lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "room.h"

namespace chat {

inline constexpr std::size_t kRoomsMax = 100;

struct BusyRoom {
  std::string name;
  std::size_t people;
};

class Rooms {
 public:
  // What becomes of one room; see room.h. Rooms are made when somebody enters; when there are too
  // many, the one goes that has been empty for longest.
  [[nodiscard]] eider::Result<Entered, std::string> enter(const std::string& room,
                                                          const Join& join);
  [[nodiscard]] std::optional<Presence> leave(const std::string& room, const std::string& name);
  /// Pre: the person is in the room.
  Message add(const std::string& room, const std::string& name, const Say& say);

  /// Those with people in them, by name.
  [[nodiscard]] std::vector<BusyRoom> busy() const;

 private:
  struct Kept {
    Room room;
    std::int64_t left_us;  // when somebody left last
  };

  [[nodiscard]] Kept* find_or_make(const std::string& name);
  [[nodiscard]] bool make_place();

  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  // a State can be moved
  std::map<std::string, Kept> rooms_;
};

}  // namespace chat
