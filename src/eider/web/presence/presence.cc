#include "eider/web/presence/presence.h"

#include <algorithm>
#include <iterator>

#include "eider/core/base/text.h"

namespace eider {

Result<void> PresenceTracker::may_use(std::string_view name, std::string_view key) const {
  const auto found = std::ranges::find_if(
      people_, [name](const Person& person) { return equals_ignoring_case(person.name, name); });
  return found == people_.end() || (found->name == name && equals_in_constant_time(key, found->key))
             ? Result<void>()
             : fail(Error::conflict("This name is already in use."));
}

Result<std::optional<Presence>> PresenceTracker::enter(const std::string& name,
                                                       const std::string& key) {
  if (const auto allowed = may_use(name, key); !allowed) {
    return fail(allowed.error());
  }
  const auto found = std::ranges::find(people_, name, &Person::name);
  if (found == people_.end()) {
    if (people_.size() >= limits_.people_max) {
      return fail(Error::conflict("The room is full."));
    }
    people_.push_back({name, key, 1});
    ++version_;
    Presence news = now();
    news.joined = name;
    return news;
  }
  if (found->connections >= limits_.connections_of_one_max) {
    return fail(Error::conflict("You have too many connections to this room."));
  }
  ++found->connections;
  return std::nullopt;
}

std::optional<Presence> PresenceTracker::leave(std::string_view name) {
  const auto found = std::ranges::find(people_, name, &Person::name);
  if (found == people_.end() || --found->connections > 0) {
    return std::nullopt;
  }
  people_.erase(found);
  ++version_;
  Presence news = now();
  news.left = name;
  return news;
}

Presence PresenceTracker::now() const {
  Presence now{.version = version_};
  std::ranges::transform(people_, std::back_inserter(now.people), &Person::name);
  return now;
}

}  // namespace eider
