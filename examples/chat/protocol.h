// What a page and the service say to each other: JSON objects whose "type" names a struct below.
// Must not know rooms or sockets.
#pragma once

#include <eider/base/result.h>
#include <eider/reflect/constraints.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace chat {

/// Of one message from a page, as JSON: a text of 1,000 characters, each of them escaped.
inline constexpr std::size_t kPageMessageBytesMax = 16UL * 1024;

// What a page says.

/// The first that a page says, and says again when it was refused.
struct Join {
  /// What others see.
  eider::Length<std::string, 1, 24> name;
  /// Only the page knows it. As long as somebody is here, the name is theirs who have the same key.
  eider::Length<std::string, 16, 64> key;
  /// All messages before this one are there already: for a page that comes back.
  std::optional<std::int64_t> next_id;
};

struct Say {
  eider::Length<std::string, 1, 1000> text;
  /// The page's own mark, by which it knows its message again.
  eider::Length<std::string, 1, 24> ref;
};

/// The person is writing; for the others in the room.
struct Write {};

using FromPage = std::variant<Join, Say, Write>;

/// Blanks around names and texts are gone.
///
/// errors  what is wrong, for the person who wrote it
[[nodiscard]] eider::Result<FromPage, std::string> read_from_page(std::string_view json);

// What the service says.

struct Message {
  std::int64_t id;     // one more than that of the message before it in the room
  std::int64_t at_ms;  // since 1970, UTC
  std::string name;
  std::string text;
  std::string ref;
};

/// Who is here, and who of them came or left just now. The one with the largest version holds.
struct Presence {
  std::int64_t version = 0;
  std::vector<std::string> people = {};
  std::optional<std::string> joined = {};
  std::optional<std::string> left = {};
};

/// The answer to Join.
struct Welcome {
  /// From Join::next_id on, as far as they are kept and fit.
  std::vector<Message> messages;
  /// Messages between the page's and these are left out.
  bool has_gap;
  /// The message to come.
  std::int64_t next_id;
  Presence presence;
};

struct Writes {
  std::string name;
};

/// What the page said was not accepted.
struct Refused {
  std::string text;
  /// Of the Say that is meant; empty when it was something else.
  std::string ref;
};

using FromService = std::variant<Welcome, Message, Presence, Writes, Refused>;

[[nodiscard]] std::string to_json(const FromService& said);

}  // namespace chat
