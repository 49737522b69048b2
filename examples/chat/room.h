// One room: who is in it, and its last messages. Nothing of it outlives the process.
// Must not know threads or sockets: rooms.h guards it, talk.h speaks for a page.
#pragma once

#include <eider/base/result.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "protocol.h"

namespace chat {

inline constexpr std::size_t kMessagesKept = 100;
/// Of the messages in a Welcome, the newest ones; as JSON they may be six times as long.
inline constexpr std::size_t kWelcomeTextBytesMax = 16UL * 1024;
inline constexpr std::size_t kPeopleMax = 100;
inline constexpr int kPagesOfPersonMax = 20;

/// Somebody who was let in.
struct Entered {
  Welcome welcome;
  /// For the others; nothing when the person was here before, with another page.
  std::optional<Presence> news;
};

class Room {
 public:
  /// first_id  above the ids of all rooms that had this name before: pages that come back know
  ///           those
  explicit Room(std::int64_t first_id) : next_id_(first_id) {}

  /// errors  why not, for the person
  [[nodiscard]] eider::Result<Entered, std::string> enter(const Join& join);
  /// One page of a person is gone. Nothing when they are still here with another.
  [[nodiscard]] std::optional<Presence> leave(const std::string& name);

  Message add(const std::string& name, const Say& say, std::int64_t at_ms);

  [[nodiscard]] std::size_t people() const noexcept { return people_.size(); }

 private:
  struct Person {
    std::string name;
    std::string key;
    int pages;
  };

  [[nodiscard]] std::vector<Person>::iterator find(const std::string& name);
  [[nodiscard]] eider::Result<bool, std::string> seat(const Join& join);
  [[nodiscard]] Presence presence() const;
  [[nodiscard]] std::int64_t oldest_told() const;
  [[nodiscard]] Welcome welcome(std::optional<std::int64_t> next_id) const;

  std::deque<Message> messages_;
  std::vector<Person> people_;  // in the order of their coming
  std::int64_t next_id_;
  std::int64_t version_ = 0;
};

}  // namespace chat
