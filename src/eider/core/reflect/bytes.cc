#include "eider/core/reflect/bytes.h"

#include "eider/core/base/base64.h"

namespace eider {

std::optional<std::vector<std::byte>> TextFormat<std::vector<std::byte>>::parse(
    std::string_view text) {
  std::vector<std::byte> bytes(text.size() / 4 * 3);
  const auto count = read_base64(text, {reinterpret_cast<char*>(bytes.data()), bytes.size()});
  if (!count) {
    return std::nullopt;
  }
  bytes.resize(*count);
  return bytes;
}

std::string TextFormat<std::vector<std::byte>>::format(const std::vector<std::byte>& bytes) {
  return to_base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace eider
