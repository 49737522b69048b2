// The members of a room by name, each with the number of their connections.
// Layering: must not lock or send; a room does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

/// The members of a room, and the member who entered or left just now. It contains the complete
/// list instead of a difference, because messages of two threads may arrive in either order: the
/// one with the largest version is current.
struct Presence {
  std::int64_t version = 0;
  std::vector<std::string> members = {};
  std::optional<std::string> joined = {};
  std::optional<std::string> left = {};
};

struct PresenceLimits {
  std::size_t members_max = 100;
  std::size_t connections_per_member_max = 20;
};

class PresenceTracker {
 public:
  explicit PresenceTracker(PresenceLimits limits = {}) : limits_(limits) {}

  /// Adds a connection of a member. "ada" is taken while "Ada" is in the room. Names are compared
  /// without regard to ASCII case, otherwise as bytes: "Zoë" differs from "ZOË", and from other
  /// Unicode normal forms, although they look the same. Apply rules for names, such as IsVisible,
  /// before.
  ///
  /// key      owner of the name while one of its connections is open: a client's secret, a user id
  /// returns  the message for other members; nothing if the member was already in the room
  /// errors   409, with a sentence for the user: the name is taken, too many members, or too many
  ///          connections
  [[nodiscard]] Result<std::optional<Presence>> enter(const std::string& name,
                                                      const std::string& key);
  /// Checks a name for an action without entering, for example with a form: the name is free, or
  /// belongs to the key.
  ///
  /// errors  409, with a sentence for the user: the name is taken
  [[nodiscard]] Result<void> may_use(std::string_view name, std::string_view key) const;
  /// Removes a connection. Returns nothing if the member has another one.
  [[nodiscard]] std::optional<Presence> leave(std::string_view name);

  [[nodiscard]] Presence now() const;
  [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
  [[nodiscard]] bool empty() const noexcept { return members_.empty(); }

 private:
  struct Member {
    std::string name;
    std::string key;
    std::size_t connections;
  };

  PresenceLimits limits_;
  std::vector<Member> members_;  // in the order in which they entered
  std::int64_t version_ = 0;
};

}  // namespace eider
