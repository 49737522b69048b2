// The fields of an answer's head over HTTP/2, ahead of those that its handler has set.
// Must not outlive the response and the date that it is made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "eider/core/base/digits.h"
#include "eider/protocols/http/h2/out_field.h"
#include "eider/protocols/http/response.h"
#include "eider/protocols/http/status.h"

namespace eider::detail::http2 {

class AnswerFields {
 public:
  /// Of an interim response.
  explicit AnswerFields(int status) noexcept;
  /// length  of the content, when it is known
  AnswerFields(const Response& response, std::optional<std::uint64_t> length,
               std::string_view date) noexcept;
  AnswerFields(const AnswerFields&) = delete;  // its fields point into it
  AnswerFields& operator=(const AnswerFields&) = delete;

  /// All of them, and those that stand in `lines` behind them.
  ///
  /// list     where they are put together when there are such
  /// returns  valid while this and `list` stay as they are
  [[nodiscard]] std::span<const h2::OutField> with_lines(std::string_view lines,
                                                         std::vector<h2::OutField>& list) const;

 private:
  using Static = h2::OutField::Static;

  [[nodiscard]] static h2::OutField status_field(std::string_view digits) noexcept {
    return digits == "200" ? h2::OutField{":status", "200", Static::both}
                           : h2::OutField{":status", digits, Static::name};
  }

  static constexpr int kResetContent = 205;
  /// Status, server, date, type and length.
  static constexpr std::size_t kFieldsMax = 5;

  Digits status_;
  Digits length_;
  std::array<h2::OutField, kFieldsMax> fields_;
  std::size_t count_ = 1;
};

inline AnswerFields::AnswerFields(int status) noexcept
    : status_(static_cast<std::uint64_t>(status)),
      length_(0),
      fields_{{status_field(status_.view())}} {}

inline AnswerFields::AnswerFields(const Response& response, std::optional<std::uint64_t> length,
                                  std::string_view date) noexcept
    : status_(static_cast<std::uint64_t>(response.status())),
      length_(response.status() == kResetContent ? 0 : length.value_or(0)),
      fields_{{status_field(status_.view()),
               {"server", "eider", Static::both},
               {"date", date, Static::name}}},
      count_(3) {
  const bool is_empty = is_bodiless(response.status());
  if (!is_empty && !response.content_type().empty()) {
    fields_[count_++] = {"content-type", response.content_type(), Static::name};
  }
  // 205 says so by a length (RFC 9110, 15.3.6), 204 and 304 by themselves.
  if (response.status() == kResetContent || (length && !is_empty)) {
    fields_[count_++] = {"content-length", length_.view(), Static::name};
  }
}

inline std::span<const h2::OutField> AnswerFields::with_lines(
    std::string_view lines, std::vector<h2::OutField>& list) const {
  const auto own = std::span(fields_).first(count_);
  if (lines.empty()) {
    return own;
  }
  list.assign(own.begin(), own.end());
  h2::append_lines(list, lines);
  return list;
}

}  // namespace eider::detail::http2
