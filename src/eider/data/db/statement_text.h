// A statement that is being built, with its values.
// Layering: must not contain text from a client; such text becomes a value.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/failure.h"
#include "eider/data/db/query_job.h"

namespace eider::db::detail {

[[noreturn]] inline void refuse(std::string why) {
  throw Failure(FailureKind::statement, std::move(why));
}

/// Names are not quoted in a statement.
[[nodiscard]] inline bool is_name(std::string_view text) noexcept {
  const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  const auto is_inner = [&](char c) { return is_letter(c) || c == '_' || (c >= '0' && c <= '9'); };
  return !text.empty() && (is_letter(text.front()) || text.front() == '_') &&
         std::ranges::all_of(text, is_inner);
}

/// Returns true for "notes" and "shop.notes".
[[nodiscard]] inline bool is_table_name(std::string_view text) noexcept {
  const std::size_t dot = text.find('.');
  return dot == std::string_view::npos
             ? is_name(text)
             : is_name(text.substr(0, dot)) && is_name(text.substr(dot + 1));
}

class StatementText {
 public:
  explicit StatementText(std::string_view begin) : text_(begin) {}

  StatementText& operator<<(std::string_view text) {
    text_ += text;
    return *this;
  }
  StatementText& operator<<(Value value) {
    values_.push_back(std::move(value));
    text_ += '$' + std::to_string(values_.size());
    return *this;
  }
  /// Adds " where " before the first condition, " and " before the others.
  StatementText& condition() {
    text_ += std::exchange(has_condition_, true) ? " and " : " where ";
    return *this;
  }
  [[nodiscard]] BoundSql take() && { return {{std::move(text_)}, std::move(values_)}; }

 private:
  std::string text_;
  std::vector<Value> values_;
  bool has_condition_ = false;
};

}  // namespace eider::db::detail
