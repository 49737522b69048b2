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

/// The first message of a page, repeated after a rejection.
///
/// name     visible to others
/// key      known only to the page: as long as the user is present, it reserves the name
/// next_id  for a page that reconnects: it already has all messages before this one
struct Join {
  Name name;
  eider::Sized<std::string, 16, 64> key;
  std::optional<std::int64_t> next_id;
};

/// ref  identifies the message for the page that sent it
struct Say {
  Text text;
  eider::Sized<std::string, 1, 24> ref;
};

/// The user is typing; shown to others in the room.
struct Write {};

using FromPage = std::variant<Join, Say, Write>;

/// id     one more than that of the previous message in the room
/// at_ms  since 1970, UTC
struct Message {
  std::int64_t id;
  std::int64_t at_ms;
  std::string name;
  std::string text;
  std::string ref;
};

/// The response to Join: the stored messages from Join::next_id on.
///
/// has_gap  messages between those of the page and these are missing
/// next_id  of the next message
struct Welcome {
  std::vector<Message> messages;
  bool has_gap;
  std::int64_t next_id;
  Presence presence;
};

struct Writes {
  std::string name;
};

/// A rejection: of the Say with that ref, or of another message if it is empty.
struct Refused {
  std::string text;
  std::string ref;
};

using FromService = std::variant<Welcome, Message, Presence, Writes, Refused>;

[[nodiscard]] inline std::string to_json(const FromService& said) {
  return eider::json::to_text(said);
}

}  // namespace chat
