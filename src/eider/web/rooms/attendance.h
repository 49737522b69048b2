// Who is here: people by name, each with as many connections as they have open.
// Must not lock, nor tell anybody: a room does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

/// Who is here, and who of them came or left just now. It is the whole list and not a difference,
/// because what two threads send may arrive in either order: the one with the largest version
/// holds.
struct Presence {
  std::int64_t version = 0;
  std::vector<std::string> people = {};
  std::optional<std::string> joined = {};
  std::optional<std::string> left = {};
};

struct AttendanceLimits {
  std::size_t people_max = 100;
  std::size_t connections_of_one_max = 20;
};

class Attendance {
 public:
  explicit Attendance(AttendanceLimits limits = {}) : limits_(limits) {}

  /// One more connection of somebody. "ada" is taken while "Ada" is here. Beyond the case of ASCII
  /// letters names are compared as bytes: "Zoë" is not "ZOË", nor the same in another normal form
  /// of Unicode, though that looks the same. Rules on names, such as IsVisible, are the caller's.
  ///
  /// key      the name is theirs who have it, as long as one of their connections is here: a
  ///          client's secret, a user's id
  /// returns  what to tell the others; nothing when they were here before
  /// errors   409, with a sentence for the person: the name is taken, too many people, or too many
  ///          connections
  [[nodiscard]] Result<std::optional<Presence>> enter(const std::string& name,
                                                      const std::string& key);
  /// For somebody who does something without entering, as by a form: nobody has the name, or it is
  /// theirs by the key.
  ///
  /// errors  409, with a sentence for the person: the name is taken
  [[nodiscard]] Result<void> may_use(std::string_view name, std::string_view key) const;
  /// One connection less. Nothing when they are still here by another.
  [[nodiscard]] std::optional<Presence> leave(std::string_view name);

  [[nodiscard]] Presence now() const;
  [[nodiscard]] std::size_t size() const noexcept { return people_.size(); }
  [[nodiscard]] bool empty() const noexcept { return people_.empty(); }

 private:
  struct Person {
    std::string name;
    std::string key;
    std::size_t connections;
  };

  AttendanceLimits limits_;
  std::vector<Person> people_;  // in the order of their coming
  std::int64_t version_ = 0;
};

}  // namespace eider
