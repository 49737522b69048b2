// Body length and connection options from the headers (RFC 9112, sections 6 and 9).
// Layering: must only interpret the fields: the reader has checked their bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "eider/protocols/http/h1/refusal.h"
#include "eider/protocols/http/h1/target.h"
#include "eider/protocols/http/head.h"

namespace eider::h1::detail {

/// Returns a Word with letters in lowercase. Of other bytes, only control bytes become letters or
/// '-'.
template <class Word>
inline Word lower_word(const char* at) noexcept {
  Word word;
  std::memcpy(&word, at, sizeof(word));
  return word | static_cast<Word>(0x2020202020202020);
}

/// Compares in words from both ends, which may overlap. Pre: sizeof(Word) <= bytes.
template <class Word, std::size_t bytes>
inline bool equals_in_words(const char* name, const char* lower) noexcept {
  Word difference = 0;
  for (std::size_t at = 0; at + sizeof(Word) < bytes; at += sizeof(Word)) {
    difference |= lower_word<Word>(name + at) ^ lower_word<Word>(lower + at);
  }
  constexpr std::size_t kLast = bytes - sizeof(Word);
  difference |= lower_word<Word>(name + kLast) ^ lower_word<Word>(lower + kLast);
  return difference == 0;
}

/// Compares case-insensitively. Pre: `name` contains no control byte; `lower` consists of lowercase
/// letters and '-'.
template <std::size_t with_end>
inline bool is_named(std::string_view name, const char (&lower)[with_end]) noexcept {
  constexpr std::size_t kBytes = with_end - 1;
  if (name.size() != kBytes) {
    return false;
  }
  if constexpr (kBytes >= sizeof(std::uint64_t)) {
    return equals_in_words<std::uint64_t, kBytes>(name.data(), lower);
  } else {
    return equals_in_words<std::uint32_t, kBytes>(name.data(), lower);
  }
}

/// Interprets the fields of one head in order, and fills in the head.
class Framing {
 public:
  static constexpr bool kTakesBlankBeforeColon = false;

  explicit Framing(RequestHead& head) noexcept : head_(head) {}

  /// Pre: head.method, minor_version and form are set; the name is a token.
  [[nodiscard]] Refusal take(const Field& field) noexcept;
  /// Checks the head after the last field.
  [[nodiscard]] Refusal finish() noexcept;

 private:
  [[nodiscard]] Refusal take_host(std::string_view value) noexcept;
  [[nodiscard]] Refusal take_content_length(std::string_view value) noexcept;
  [[nodiscard]] Refusal read_length(std::string_view value) noexcept;
  [[nodiscard]] Refusal take_transfer_encoding(std::string_view value) noexcept;
  [[nodiscard]] Refusal take_coding(std::string_view coding) noexcept;
  [[nodiscard]] Refusal take_connection(std::string_view value) noexcept;
  [[nodiscard]] Refusal take_expect(std::string_view value) noexcept;

  RequestHead& head_;
  bool has_host_ = false;
  bool has_length_ = false;
  bool names_close_ = false;
  bool names_keep_alive_ = false;
  bool names_upgrade_ = false;
  bool has_upgrade_ = false;
  bool expects_continue_ = false;
};

inline Refusal Framing::take(const Field& field) noexcept {
  switch (field.name.size()) {
    case 4:
      return is_named(field.name, "host") ? take_host(field.value) : Refusal::none;
    case 6:
      return is_named(field.name, "expect") ? take_expect(field.value) : Refusal::none;
    case 7:
      has_upgrade_ |= is_named(field.name, "upgrade") && !field.value.empty();
      return Refusal::none;
    case 10:
      return is_named(field.name, "connection") ? take_connection(field.value) : Refusal::none;
    case 14:
      return is_named(field.name, "content-length") ? take_content_length(field.value)
                                                    : Refusal::none;
    case 17:
      return is_named(field.name, "transfer-encoding") ? take_transfer_encoding(field.value)
                                                       : Refusal::none;
    default:
      return Refusal::none;
  }
}

inline Refusal Framing::take_host(std::string_view value) noexcept {
  if (has_host_) {
    return Refusal::doubled_host;
  }
  has_host_ = true;
  if (!is_host_value(value)) {
    return Refusal::bad_host;
  }
  // RFC 9112, section 3.2.2: for an absolute form, its authority replaces Host.
  if (head_.form == TargetForm::origin || head_.form == TargetForm::asterisk) {
    head_.authority = value;
  }
  return Refusal::none;
}

inline Refusal Framing::finish() noexcept {
  const bool is_1_1 = head_.minor_version == 1;
  // RFC 9112, 3.2: HTTP/1.1 without Host is rejected; HTTP/1.0 may lack it.
  if (is_1_1 && !has_host_) {
    return Refusal::missing_host;
  }
  head_.keeps_alive = !names_close_ && (is_1_1 || names_keep_alive_);
  // HTTP/1.0 has neither Upgrade nor Expect: a proxy that did not understand them passed them on
  // (RFC 9110, sections 7.8 and 10.1.1).
  head_.wants_upgrade = is_1_1 && names_upgrade_ && has_upgrade_;
  head_.expects_continue = is_1_1 && expects_continue_ && head_.body != BodyKind::none;
  return Refusal::none;
}

}  // namespace eider::h1::detail
