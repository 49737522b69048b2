// Parses header lines and line ends, for requests and responses.
// Layering: must not interpret headers: its framing parameter does.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/h1/scan.h"
#include "eider/protocols/http/head.h"

namespace eider::h1::detail {

inline std::string_view between(const char* begin, const char* end) noexcept {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// Removes blanks at both ends. Most values have only one leading space. Pre: *end is CR.
inline std::string_view trim_value(const char* begin, const char* end) noexcept {
  begin += *begin == ' ' ? 1 : 0;
  const bool has_more = begin != end && (is_blank(*begin) || is_blank(end[-1]));
  return has_more ? trim(between(begin, end)) : between(begin, end);
}

/// Reads one head in one pass. Each step takes the position and returns the position after the
/// bytes that it has read, or null: then `flaw()` is the error, or `none` if bytes are missing.
///
/// Bytes are checked strictly in order, so that the result does not depend on how much has arrived.
///
/// Flaw     an enumeration with `none` and the errors that are reported here
/// Framing  has `Flaw take(const Field&)`, called for each field in order, and
///          `kTakesBlankBeforeColon`
/// source   RFC 9112, section 5
template <class Flaw, class Framing>
class FieldsParse {
 public:
  /// room  for the maximum number of fields
  FieldsParse(const char* end, std::span<Field> room, const Framing& framing) noexcept
      : end_(end), framing_(framing), room_(room) {}

  [[nodiscard]] Flaw flaw() const noexcept { return flaw_; }

 protected:
  const char* refuse(Flaw flaw) noexcept {
    flaw_ = flaw;
    return nullptr;
  }
  static const char* need_more() noexcept { return nullptr; }

  const char* read_line_end(const char* at) noexcept;
  const char* read_fields(const char* at) noexcept;
  [[nodiscard]] std::span<Field> fields() const noexcept { return room_.first(count_); }

  const char* end_;
  Framing framing_;

 private:
  const char* read_field(const char* at) noexcept;
  const char* end_name(const char* begin, const char* at) noexcept;
  const char* end_value(const char* at) noexcept;

  std::span<Field> room_;
  std::size_t count_ = 0;
  Flaw flaw_ = Flaw::none;
};

/// Reads CRLF. Pre: at != end_, and *at is CR or LF.
template <class Flaw, class Framing>
const char* FieldsParse<Flaw, Framing>::read_line_end(const char* at) noexcept {
  if (*at == '\n') {
    return refuse(Flaw::bare_lf);
  }
  if (end_ - at < 2) {
    return need_more();
  }
  return at[1] == '\n' ? at + 2 : refuse(Flaw::bare_cr);
}

/// *( field-line CRLF ) CRLF
template <class Flaw, class Framing>
const char* FieldsParse<Flaw, Framing>::read_fields(const char* at) noexcept {
  while (at != end_) {
    if (*at == '\r') {
      return read_line_end(at);
    }
    at = read_field(at);
    if (at == nullptr) {
      return nullptr;
    }
  }
  return need_more();
}

/// field-line = field-name ":" OWS field-value OWS
template <class Flaw, class Framing>
inline const char* FieldsParse<Flaw, Framing>::read_field(const char* at) noexcept {
  const char* const name_end = find_end<NameEnd>(at, end_);
  const char* colon = name_end;
  if constexpr (Framing::kTakesBlankBeforeColon) {
    while (colon != at && colon != end_ && is_blank(*colon)) {
      ++colon;
    }
  }
  if (colon == end_ || colon == at || *colon != ':') {
    return end_name(at, colon);
  }
  const char* const line_end = find_end<ValueEnd>(colon + 1, end_);
  if (end_ - line_end < 2 || line_end[0] != '\r' || line_end[1] != '\n') {
    return end_value(line_end);
  }
  // The count is checked before the field is stored, so the room is never exceeded.
  if (count_ == room_.size()) {
    return refuse(Flaw::too_many_fields);
  }
  const std::string_view value = trim_value(colon + 1, line_end);
  const Field& field = room_[count_++] = {between(at, name_end), value};
  // The framing checks each field in order, so that the reported error does not depend on how much
  // has arrived.
  const Flaw flaw = framing_.take(field);
  return flaw == Flaw::none ? line_end + 2 : refuse(flaw);
}

/// Returns the error of the name at `begin` that ends at `at` without a colon.
template <class Flaw, class Framing>
const char* FieldsParse<Flaw, Framing>::end_name(const char* begin, const char* at) noexcept {
  if (at == end_) {
    return need_more();
  }
  if (is_blank(*at) && at == begin) {
    return refuse(Flaw::folded_line);
  }
  if constexpr (!Framing::kTakesBlankBeforeColon) {
    if (is_blank(*at)) {
      return refuse(Flaw::space_before_colon);
    }
  }
  return refuse(at == begin && *at == '\n' ? Flaw::bare_lf : Flaw::bad_field_name);
}

/// Returns the error of a value that ends at `at`, which is a control byte or the end of the input.
template <class Flaw, class Framing>
const char* FieldsParse<Flaw, Framing>::end_value(const char* at) noexcept {
  if (at == end_) {
    return need_more();
  }
  return *at == '\r' || *at == '\n' ? read_line_end(at) : refuse(Flaw::bad_field_value);
}

}  // namespace eider::h1::detail
