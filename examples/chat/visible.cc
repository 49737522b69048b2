#include "visible.h"

#include <eider/base/utf8.h>

#include <algorithm>
#include <cstddef>

namespace chat {
namespace {

struct Span {
  char32_t first;
  char32_t last;
};

/// By rising number.
constexpr Span kInvisible[] = {
    {0x0, 0x1F},        {0x7F, 0xA0},       {0xAD, 0xAD},       {0x34F, 0x34F},
    {0x600, 0x605},     {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},
    {0x890, 0x891},     {0x8E2, 0x8E2},     {0x115F, 0x1160},   {0x1680, 0x1680},
    {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x2000, 0x200F},   {0x2028, 0x202F},
    {0x205F, 0x206F},   {0x2800, 0x2800},   {0x3000, 0x3000},   {0x3164, 0x3164},
    {0xE000, 0xF8FF},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
    {0xFFF0, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F},
    {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}, {0xF0000, 0x10FFFF},
};

/// The character at the front. Pre: it is valid, and so many bytes long.
char32_t character(std::string_view text, std::size_t bytes) noexcept {
  const auto first = static_cast<unsigned char>(text[0]);
  char32_t point = bytes == 1 ? first : first & (0x7FU >> bytes);
  for (const char byte : text.substr(1, bytes - 1)) {
    point = point << 6U | (static_cast<unsigned char>(byte) & 0x3FU);
  }
  return point;
}

bool is_invisible(char32_t point) noexcept {
  const auto* const span = std::ranges::lower_bound(kInvisible, point, {}, &Span::last);
  return span != std::end(kInvisible) && span->first <= point;
}

}  // namespace

bool is_visible(std::string_view text) noexcept {
  if (text.find("  ") != std::string_view::npos) {
    return false;
  }
  while (!text.empty()) {
    const std::size_t bytes = eider::utf8_sequence_bytes(text);
    if (bytes == 0 || is_invisible(character(text, bytes))) {
      return false;
    }
    text.remove_prefix(bytes);
  }
  return true;
}

}  // namespace chat
