#include "eider/web/presence/presence.h"

#include <algorithm>
#include <iterator>

#include "eider/core/base/text.h"

namespace eider {

Result<void> PresenceTracker::may_use(std::string_view name, std::string_view key) const {
  const auto found = std::ranges::find_if(
      members_, [name](const Member& person) { return equals_ignoring_case(person.name, name); });
  return found == members_.end() ||
                 (found->name == name && equals_in_constant_time(key, found->key))
             ? Result<void>()
             : fail(Error::conflict("This name is already in use."));
}

Result<std::optional<Presence>> PresenceTracker::enter(const std::string& name,
                                                       const std::string& key) {
  if (const auto allowed = may_use(name, key); !allowed) {
    return fail(allowed.error());
  }
  const auto found = std::ranges::find(members_, name, &Member::name);
  if (found == members_.end()) {
    if (members_.size() >= limits_.members_max) {
      return fail(Error::conflict("The room is full."));
    }
    members_.push_back({name, key, 1});
    ++version_;
    Presence news = now();
    news.joined = name;
    return news;
  }
  if (found->connections >= limits_.connections_per_member_max) {
    return fail(Error::conflict("You have too many connections to this room."));
  }
  ++found->connections;
  return std::nullopt;
}

std::optional<Presence> PresenceTracker::leave(std::string_view name) {
  const auto found = std::ranges::find(members_, name, &Member::name);
  if (found == members_.end() || --found->connections > 0) {
    return std::nullopt;
  }
  members_.erase(found);
  ++version_;
  Presence news = now();
  news.left = name;
  return news;
}

Presence PresenceTracker::now() const {
  Presence now{.version = version_};
  std::ranges::transform(members_, std::back_inserter(now.members), &Member::name);
  return now;
}

}  // namespace eider
