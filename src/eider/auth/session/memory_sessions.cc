#include "eider/auth/session/memory_sessions.h"

#include "eider/core/base/per_process.h"

namespace eider {

namespace {

/// Memory per session in addition to its text: the nodes of a map, a list and a set.
constexpr std::size_t kBytesEach = 512;

std::size_t bytes_of(const std::string& name, const SessionRecord& record) noexcept {
  return kBytesEach + 2 * (name.size() + record.user.size()) + record.data.size() +
         record.flashes.size();
}

}  // namespace

Task<> SessionStore::start() {
  co_return;
}

std::shared_ptr<SessionStore> memory_sessions(MemorySessions limits) {
  detail::base::note_per_process("sessions in memory");
  return std::make_shared<detail::session::MemoryStore>(limits);
}

namespace detail::session {

Task<std::unique_ptr<SessionRecord>> MemoryStore::find(std::string name) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  co_return found == entries_.end() ? nullptr
                                    : std::make_unique<SessionRecord>(found->second.record);
}

Task<> MemoryStore::insert(std::string name, SessionRecord record) {
  const std::lock_guard lock(mutex_);
  const std::string user = record.user;
  add(std::move(name), std::move(record));
  make_room_of(user);
  make_room();
  co_return;
}

Task<bool> MemoryStore::replace(std::string name, SessionRecord record) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end() || found->second.record.version + 1 != record.version) {
    co_return false;
  }
  remove(found);
  add(std::move(name), std::move(record));
  make_room();
  co_return true;
}

Task<bool> MemoryStore::rename(std::string name, std::string new_name) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    co_return false;
  }
  SessionRecord record = found->second.record;
  remove(found);
  add(std::move(new_name), std::move(record));
  co_return true;
}

Task<> MemoryStore::erase(std::string name) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  if (found != entries_.end()) {
    remove(found);
  }
  co_return;
}

Task<std::size_t> MemoryStore::erase_of(std::string user, std::string but_for) {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  auto next = by_user_.lower_bound({user, ""});
  while (next != by_user_.end() && next->first == user) {
    const auto entry = entries_.find(next->second);
    ++next;  // before `remove`, which would invalidate it
    if (entry->first != but_for) {
      remove(entry);
      ++count;
    }
  }
  co_return count;
}

Task<std::vector<KnownSession>> MemoryStore::list(std::string user) {
  const std::lock_guard lock(mutex_);
  std::vector<KnownSession> all;
  for (auto next = by_user_.lower_bound({user, ""}); next != by_user_.end() && next->first == user;
       ++next) {
    const SessionRecord& record = entries_.find(next->second)->second.record;
    all.push_back({.name = next->second, .began = record.began, .seen = record.seen});
  }
  co_return all;
}

Task<> MemoryStore::sweep(std::int64_t seen_until) {
  const std::lock_guard lock(mutex_);
  // All entries: if the clock was set back, the order does not match the times.
  for (auto next = entries_.begin(); next != entries_.end();) {
    const auto entry = next++;
    if (entry->second.record.seen <= seen_until) {
      remove(entry);
    }
  }
  co_return;
}

std::size_t MemoryStore::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

std::size_t MemoryStore::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void MemoryStore::add(std::string name, SessionRecord record) {
  bytes_ += bytes_of(name, record);
  Order& order = order_of(record);
  if (!record.user.empty()) {
    by_user_.emplace(record.user, name);
  }
  const auto place = order.insert(order.end(), name);
  entries_.emplace(std::move(name), Entry{std::move(record), place, ++writes_});
}

void MemoryStore::remove(Entries::iterator entry) {
  const SessionRecord& record = entry->second.record;
  bytes_ -= bytes_of(entry->first, record);
  by_user_.erase({record.user, entry->first});
  order_of(record).erase(entry->second.place);
  entries_.erase(entry);
}

void MemoryStore::make_room() {
  while (entries_.size() > limits_.count_max || bytes_ > limits_.bytes_max) {
    const Order& order = of_nobody_.empty() ? of_users_ : of_nobody_;
    remove(entries_.find(order.front()));
  }
}

void MemoryStore::make_room_of(const std::string& user) {
  const auto first = by_user_.lower_bound({user, ""});
  std::size_t count = 0;
  auto oldest = entries_.end();
  for (auto next = first; next != by_user_.end() && next->first == user; ++next) {
    const auto entry = entries_.find(next->second);
    if (++count == 1 || entry->second.written < oldest->second.written) {
      oldest = entry;
    }
  }
  if (count > limits_.user_count_max) {
    remove(oldest);
  }
}

}  // namespace detail::session
}  // namespace eider
