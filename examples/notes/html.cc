#include "html.h"

namespace notes {
namespace {

std::string_view entity_of(char byte) noexcept {
  switch (byte) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  for (const char byte : text) {
    const std::string_view entity = entity_of(byte);
    if (entity.empty()) {
      out += byte;
    } else {
      out += entity;
    }
  }
}

}  // namespace notes
