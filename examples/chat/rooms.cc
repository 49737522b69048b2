#include "rooms.h"

#include <algorithm>
#include <chrono>

namespace chat {
namespace {

using eider::fail;
using eider::Result;

std::int64_t microseconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace

bool Rooms::make_place() {
  if (rooms_.size() < kRoomsMax) {
    return true;
  }
  // Rooms with people compare as larger than all without.
  const auto rank = [](const auto& entry) {
    return std::pair(entry.second.room.people() != 0, entry.second.left_us);
  };
  const auto oldest = std::ranges::min_element(rooms_, {}, rank);
  if (oldest->second.room.people() != 0) {
    return false;
  }
  rooms_.erase(oldest);
  return true;
}

// A room's first id is the microsecond of its making: no id comes twice, not even when the service
// starts again, as long as nobody says a million things in a second.
Rooms::Kept* Rooms::find_or_make(const std::string& name) {
  const auto found = rooms_.find(name);
  if (found != rooms_.end()) {
    return &found->second;
  }
  if (!make_place()) {
    return nullptr;
  }
  const std::int64_t now = microseconds_since_1970();
  return &rooms_.emplace(name, Kept{Room(now), now}).first->second;
}

Result<Entered, std::string> Rooms::enter(const std::string& room, const Join& join) {
  const std::lock_guard lock(*mutex_);
  Kept* const kept = find_or_make(room);
  if (kept == nullptr) {
    return fail(std::string("All rooms are taken. Try again later."));
  }
  return kept->room.enter(join);
}

std::optional<Presence> Rooms::leave(const std::string& room, const std::string& name) {
  const std::lock_guard lock(*mutex_);
  Kept& kept = rooms_.at(room);
  kept.left_us = microseconds_since_1970();
  return kept.room.leave(name);
}

Message Rooms::add(const std::string& room, const std::string& name, const Say& say) {
  const std::lock_guard lock(*mutex_);
  return rooms_.at(room).room.add(name, say, microseconds_since_1970() / 1000);
}

std::vector<BusyRoom> Rooms::busy() const {
  const std::lock_guard lock(*mutex_);
  std::vector<BusyRoom> busy;
  for (const auto& [name, kept] : rooms_) {
    if (kept.room.people() != 0) {
      busy.push_back({name, kept.room.people()});
    }
  }
  return busy;
}

}  // namespace chat
