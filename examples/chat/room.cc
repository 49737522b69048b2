#include "room.h"

#include <algorithm>
#include <utility>

namespace chat {
namespace {

using eider::fail;
using eider::Result;

char lower(char byte) noexcept {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}

/// "ada" cannot pass for "Ada"; that nothing invisible tells two names apart, protocol.cc sees to.
bool is_same_name(const std::string& left, const std::string& right) {
  return std::ranges::equal(left, right, {}, lower, lower);
}

}  // namespace

std::vector<Room::Person>::iterator Room::find(const std::string& name) {
  return std::ranges::find_if(
      people_, [&name](const Person& person) { return is_same_name(person.name, name); });
}

/// Whether the person is new here.
Result<bool, std::string> Room::seat(const Join& join) {
  const auto found = find(*join.name);
  if (found == people_.end()) {
    if (people_.size() == kPeopleMax) {
      return fail(std::string("This room is full."));
    }
    people_.push_back({*join.name, *join.key, 1});
    return true;
  }
  if (found->key != *join.key || found->name != *join.name) {
    return fail(std::string("Somebody here has this name already."));
  }
  if (found->pages == kPagesOfPersonMax) {
    return fail(std::string("You are here with too many pages."));
  }
  ++found->pages;
  return false;
}

Result<Entered, std::string> Room::enter(const Join& join) {
  const Result<bool, std::string> is_new = seat(join);
  if (!is_new) {
    return fail(is_new.error());
  }
  Entered entered;
  if (*is_new) {
    ++version_;
    entered.news = presence();
    entered.news->joined = *join.name;
  }
  entered.welcome = welcome(join.next_id);
  return entered;
}

std::optional<Presence> Room::leave(const std::string& name) {
  const auto person = find(name);
  if (person == people_.end() || --person->pages > 0) {
    return std::nullopt;
  }
  people_.erase(person);
  ++version_;
  Presence now = presence();
  now.left = name;
  return now;
}

Message Room::add(const std::string& name, const Say& say, std::int64_t at_ms) {
  if (messages_.size() == kMessagesKept) {
    messages_.pop_front();
  }
  return messages_.emplace_back(Message{next_id_++, at_ms, name, *say.text, *say.ref});
}

Presence Room::presence() const {
  Presence now{.version = version_};
  for (const Person& person : people_) {
    now.people.push_back(person.name);
  }
  return now;
}

/// The id of the first message that a Welcome may hold: a client gets it for a hundred bytes.
std::int64_t Room::oldest_told() const {
  std::size_t bytes = 0;
  std::int64_t oldest = next_id_;
  for (auto message = messages_.rbegin(); message != messages_.rend(); ++message) {
    bytes += message->text.size();
    if (bytes > kWelcomeTextBytesMax) {
      break;
    }
    --oldest;
  }
  return oldest;
}

Welcome Room::welcome(std::optional<std::int64_t> next_id) const {
  const std::int64_t oldest = oldest_told();
  // A page from the future has met another clock: it is given everything.
  const bool is_known = next_id && *next_id >= oldest && *next_id <= next_id_;
  const std::int64_t from = is_known ? *next_id : oldest;
  return {.messages = {messages_.end() - (next_id_ - from), messages_.end()},
          .has_gap = next_id && !is_known,
          .next_id = next_id_,
          .presence = presence()};
}

}  // namespace chat
