#include "eider/core/kinds/rules.h"

#include <algorithm>

#include "eider/core/base/text.h"
#include "eider/core/json/json.h"

namespace eider {

namespace {

constexpr std::size_t kEmailBytesMax = 254;  // a path of 256 includes its brackets
constexpr std::size_t kLocalBytesMax = 64;
constexpr std::size_t kDomainBytesMax = 253;
constexpr std::size_t kLabelBytesMax = 63;

bool is_letter_or_digit(char byte) noexcept {
  return is_letter(byte) || is_digit(byte);
}

/// atext (RFC 5322, section 3.2.3)
bool is_atom_byte(char byte) noexcept {
  constexpr std::string_view kMarks = "!#$%&'*+-/=?^_`{|}~";
  return is_letter_or_digit(byte) || kMarks.contains(byte);
}

bool is_atom(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, is_atom_byte);
}

// sub-domain = Let-dig [Ldh-str]
bool is_label(std::string_view text) noexcept {
  return !text.empty() && text.size() <= kLabelBytesMax && text.front() != '-' &&
         text.back() != '-' && std::ranges::all_of(text, [](char byte) {
           return is_letter_or_digit(byte) || byte == '-';
         });
}

/// Returns whether each part between dots satisfies `is_piece`.
template <class IsPiece>
bool are_pieces(std::string_view text, IsPiece is_piece) noexcept {
  while (true) {
    const std::size_t end = std::min(text.find('.'), text.size());
    if (!is_piece(text.substr(0, end))) {
      return false;
    }
    if (end == text.size()) {
      return true;
    }
    text.remove_prefix(end + 1);
  }
}

}  // namespace

namespace detail::kinds {

// Mailbox = Local-part "@" Domain
bool is_email(std::string_view text) noexcept {
  const std::size_t at = text.rfind('@');
  if (at == text.npos || text.size() > kEmailBytesMax || at > kLocalBytesMax) {
    return false;
  }
  const std::string_view domain = text.substr(at + 1);
  return domain.size() <= kDomainBytesMax && are_pieces(text.substr(0, at), is_atom) &&
         are_pieces(domain, is_label);
}

Requirement describe_one_of(std::initializer_list<std::string_view> texts) {
  return {"one_of",
          "must be one of {names}",
          {{"names", joined(texts, ", ")}},
          {{"enum", json::to_text(std::vector<std::string_view>(texts))}}};
}

}  // namespace detail::kinds

Requirement IsEmail::describe() {
  return {
      "email", "must be an email address, such as name@example.org", {}, {{"format", "\"email\""}}};
}

Requirement Unique::describe() {
  return {"unique", "must not contain duplicates", {}, {{"uniqueItems", "true"}}};
}

}  // namespace eider
