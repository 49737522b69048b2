#include "rooms.h"

#include <algorithm>
#include <utility>

namespace chat {

using namespace eider;

constexpr std::size_t kRoomsMax = 100;

Result<void> expect_room_name(std::string_view room) {
  return !room.empty() && room == room_name_of(room)
             ? Result<void>()
             : fail(Error::not_found("There is no room with this name."));
}

Welcome Rooms::Room::welcome(std::optional<std::int64_t> next_id) const {
  auto missed = messages.since(next_id);
  return {std::move(missed.entries), missed.has_gap, missed.next_id, people.now()};
}

Result<Rooms::Room*> Rooms::find_or_make(const std::string& name) {
  if (rooms_.size() == kRoomsMax && !rooms_.contains(name)) {
    // Rooms with users compare greater than all empty rooms.
    const auto oldest = std::ranges::min_element(rooms_, {}, [](const auto& entry) {
      return std::pair(!entry.second.people.empty(), entry.second.used);
    });
    if (!oldest->second.people.empty()) {
      return fail(Error::unavailable("All rooms are taken. Try again later."));
    }
    rooms_.erase(oldest);
  }
  return &rooms_[name];
}

Result<Entered> Rooms::enter(const std::string& name, const Join& join) {
  const std::lock_guard lock(mutex_);
  const auto room = find_or_make(name);
  if (!room) {
    return fail(room.error());
  }
  auto news = (*room)->people.enter(*join.name, *join.key);
  if (!news) {
    return fail(news.error());
  }
  return Entered{(*room)->welcome(join.next_id), *std::move(news)};
}

std::optional<Presence> Rooms::leave(const std::string& name, const std::string& person) {
  const std::lock_guard lock(mutex_);
  Room& room = rooms_.at(name);
  room.used = std::chrono::steady_clock::now();
  return room.people.leave(person);
}

Result<Message> Rooms::add(const std::string& name, const Join& as, const Say& say) {
  const std::lock_guard lock(mutex_);
  const auto room = find_or_make(name);
  if (!room) {
    return fail(room.error());
  }
  if (const auto allowed = (*room)->people.may_use(*as.name, *as.key); !allowed) {
    return fail(allowed.error());
  }
  (*room)->used = std::chrono::steady_clock::now();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t at_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return (*room)->messages.add({0, at_ms, *as.name, say.text->text(), *say.ref},
                               say.text->text().size());
}

std::vector<BusyRoom> Rooms::busy() const {
  const std::lock_guard lock(mutex_);
  std::vector<BusyRoom> busy;
  for (const auto& [name, room] : rooms_) {
    if (!room.people.empty()) {
      busy.push_back({name, room.people.size()});
    }
  }
  return busy;
}

Welcome Rooms::look(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = rooms_.find(name);
  return found == rooms_.end() ? Welcome{} : found->second.welcome();
}

}  // namespace chat
