// A bounded session store in memory.
// Layering: must not be used outside of this folder; memory_sessions creates it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "eider/auth/session/session_store.h"

namespace eider::detail::session {

/// Thread-safe.
class MemoryStore final : public SessionStore {
 public:
  explicit MemoryStore(MemorySessions limits) noexcept : limits_(limits) {}

  [[nodiscard]] Task<std::unique_ptr<SessionRecord>> find(std::string name) override;
  [[nodiscard]] Task<> insert(std::string name, SessionRecord record) override;
  [[nodiscard]] Task<bool> replace(std::string name, SessionRecord record) override;
  [[nodiscard]] Task<bool> rename(std::string name, std::string new_name) override;
  [[nodiscard]] Task<> erase(std::string name) override;
  [[nodiscard]] Task<std::size_t> erase_of(std::string user, std::string but_for) override;
  [[nodiscard]] Task<std::vector<KnownSession>> list(std::string user) override;
  [[nodiscard]] Task<> sweep(std::int64_t seen_until) override;

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  using Order = std::list<std::string>;  // names, the most recently used last
  struct Entry {
    SessionRecord record;
    Order::iterator place;
    std::uint64_t written;  // number of the write
  };
  using Entries = std::unordered_map<std::string, Entry>;

  // Pre: the lock is held.
  [[nodiscard]] Order& order_of(const SessionRecord& record) noexcept {
    return record.user.empty() ? of_nobody_ : of_users_;
  }
  void add(std::string name, SessionRecord record);
  void remove(Entries::iterator entry);
  void make_room();
  void make_room_of(const std::string& user);

  const MemorySessions limits_;
  mutable std::mutex mutex_;
  Entries entries_;
  Order of_nobody_;
  Order of_users_;
  std::set<std::pair<std::string, std::string>> by_user_;  // user and name
  std::size_t bytes_ = 0;
  std::uint64_t writes_ = 0;
};

}  // namespace eider::detail::session
