#include "room_name.h"

namespace chat {
namespace {

/// The byte as it may stand in a name, or a dash.
char letter_of(char byte) noexcept {
  if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9')) {
    return byte;
  }
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : '-';
}

}  // namespace

std::string room_name_of(std::string_view text) {
  std::string name;
  for (const char byte : text) {
    const char letter = letter_of(byte);
    const bool is_second_dash = letter == '-' && (name.empty() || name.back() == '-');
    if (!is_second_dash && name.size() < kRoomNameBytesMax) {
      name += letter;
    }
  }
  while (name.ends_with('-')) {
    name.pop_back();
  }
  return name;
}

}  // namespace chat

eider::Result<chat::RoomName> eider::Extract<chat::RoomName>::from(const Context& context,
                                                                   ArgumentPlace place) {
  const std::string_view text = context.request.path_values()[place.path_index];
  std::string name = chat::room_name_of(text);
  if (name.empty() || name != text) {
    return fail(Error::not_found("There is no room of this name."));
  }
  return chat::RoomName{std::move(name)};
}
