#include "eider/core/base/hidden_text.h"

#include <algorithm>
#include <array>

#include "eider/core/base/utf8.h"

namespace eider {

namespace {

struct CodePoints {
  unsigned first;
  unsigned last;
};

/// General categories Cc, Zl, Zp and the parts of Cf that are invisible in any text.
constexpr std::array<CodePoints, 12> kHidden = {{{0x00, 0x1F},
                                                 {0x7F, 0x9F},
                                                 {0xAD, 0xAD},
                                                 {0x61C, 0x61C},
                                                 {0x180E, 0x180E},
                                                 {0x200B, 0x200F},
                                                 {0x2028, 0x202E},
                                                 {0x2060, 0x206F},
                                                 {0xFEFF, 0xFEFF},
                                                 {0xFFF9, 0xFFFB},
                                                 {0x1D173, 0x1D17A},
                                                 {0xE0000, 0xE007F}}};

/// Pre: `sequence` is one sequence of UTF-8.
unsigned code_point_of(std::string_view sequence) noexcept {
  constexpr std::array<unsigned, 5> kLeadBits = {0, 0x7F, 0x1F, 0x0F, 0x07};
  unsigned code_point = static_cast<unsigned char>(sequence[0]) & kLeadBits[sequence.size()];
  for (const char byte : sequence.substr(1)) {
    code_point = code_point << 6U | (static_cast<unsigned char>(byte) & 0x3FU);
  }
  return code_point;
}

}  // namespace

HiddenCharacter hidden_at(std::string_view text) noexcept {
  if (!text.empty() && text[0] >= ' ' && text[0] <= '~') {
    return {0, static_cast<unsigned char>(text[0])};
  }
  const std::size_t bytes = text.empty() ? 0 : utf8_sequence_bytes(text);
  if (bytes == 0) {
    return {0, 0};
  }
  const unsigned code_point = code_point_of(text.substr(0, bytes));
  const bool is_hidden = std::ranges::any_of(kHidden, [code_point](const CodePoints& range) {
    return code_point >= range.first && code_point <= range.last;
  });
  return {is_hidden ? bytes : 0, code_point};
}

std::string with_hidden_replaced(std::string_view text, char mark) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t bytes = utf8_sequence_bytes(text);
    if (bytes == 0 || hidden_at(text).bytes != 0) {
      shown.push_back(mark);
    } else {
      shown.append(text.substr(0, bytes));
    }
    // Consume an invalid byte alone, because the next one may start a sequence.
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return shown;
}

}  // namespace eider
