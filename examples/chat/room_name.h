// The name of a room as it stands in addresses: lower-case letters, digits and single dashes.
// Must not know what is in the room.
#pragma once

#include <eider/app/extract.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace chat {

inline constexpr std::size_t kRoomNameBytesMax = 32;

/// "Tea & Cake!" becomes "tea-cake"; empty when nothing of it can stay.
[[nodiscard]] std::string room_name_of(std::string_view text);

/// A path value that is the name of a room; everything else is a 404.
struct RoomName {
  std::string text;
};

}  // namespace chat

template <>
struct eider::Extract<chat::RoomName> {
  static constexpr ArgumentKind kKind = ArgumentKind::path_value;
  static constexpr bool kOwns = true;
  using Held = chat::RoomName;
  static Result<Held> from(const Context& context, ArgumentPlace place);
};
