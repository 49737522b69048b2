// Messages between page and service: JSON objects whose "type" names a struct below.
// Layering: must not know rooms or sockets.
#pragma once

#include <eider/json.h>
#include <eider/presence.h>
#include <eider/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace chat {

using Name = eider::Validated<eider::Trimmed, eider::IsVisible, eider::HasLength<1, 24>>;
using Text = eider::Validated<eider::Trimmed, eider::HasLength<1, 1000>>;
using eider::Presence;

/// What a page says first, and says again when it was refused.
///
/// name     what others see
/// key      only the page knows it: as long as somebody is here, the name is theirs who have it
/// next_id  all messages before this one are there already: for a page that comes back
struct Join {
  Name name;
  eider::Sized<std::string, 16, 64> key;
  std::optional<std::int64_t> next_id;
};

/// ref  the page's own mark, by which it knows its message again
struct Say {
  Text text;
  eider::Sized<std::string, 1, 24> ref;
};

/// The person is writing; for the others in the room.
struct Write {};

using FromPage = std::variant<Join, Say, Write>;

/// id     one more than that of the message before it in the room
/// at_ms  since 1970, UTC
struct Message {
  std::int64_t id;
  std::int64_t at_ms;
  std::string name;
  std::string text;
  std::string ref;
};

/// The response to Join: messages from Join::next_id on, as far as they are kept.
///
/// has_gap  messages between the page's and these are left out
/// next_id  of the message to come
struct Welcome {
  std::vector<Message> messages;
  bool has_gap;
  std::int64_t next_id;
  Presence presence;
};

struct Writes {
  std::string name;
};

/// What the page said was not accepted: the Say of that ref, or something else where it is empty.
struct Refused {
  std::string text;
  std::string ref;
};

using FromService = std::variant<Welcome, Message, Presence, Writes, Refused>;

[[nodiscard]] inline std::string to_json(const FromService& said) {
  return eider::json::to_text(said);
}

}  // namespace chat
