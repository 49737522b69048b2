// Reads one JSON text in one pass: walks its bytes and the type's description together.
// Layering: must not be included outside json/.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/core/json/limits.h"
#include "eider/core/json/path.h"
#include "eider/core/json/text.h"
#include "eider/core/json/value.h"
#include "eider/core/reflect/type.h"
#include "eider/core/reflect/wording.h"

namespace eider::json::detail {

/// Counts all validation errors and keeps the first ones.
class Complaints {
 public:
  explicit Complaints(std::size_t kept_max) noexcept : kept_max_(kept_max) {}

  /// broken  a Wording, or a function that returns a Requirement: used only for an error that is
  ///         kept, because one text may have a million errors
  template <class Broken>
  void add(const Path& path, const Broken& broken) {
    if (has_room()) {
      if constexpr (std::invocable<const Broken&>) {
        kept_.push_back(field_error(path.pointer(), broken()));
      } else {
        kept_.push_back(field_error(path.pointer(), broken));
      }
    }
    ++count_;
  }
  /// Adds an error at a pointer relative to `path`.
  void add(const Path& path, FieldError below) {
    if (has_room()) {
      below.pointer = path.pointer(below.pointer);
      kept_.push_back(std::move(below));
    }
    ++count_;
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// Returns whether the text is rejected and no further errors are reported, so that values need
  /// not be built.
  [[nodiscard]] bool is_full() const noexcept { return count_ != 0 && !has_room(); }

  [[nodiscard]] Result<void> verdict() && {
    return count_ == 0 ? Result<void>() : fail(Error::invalid(std::move(kept_)));
  }

 private:
  [[nodiscard]] bool has_room() const noexcept { return kept_.size() < kept_max_; }

  std::size_t kept_max_;
  std::vector<FieldError> kept_;
  std::size_t count_ = 0;
};

/// Each reading function that returns bool returns false if the text is not JSON or exceeds a
/// limit; then nothing more can be read. A value that only does not fit its type is recorded as an
/// error, and reading continues. A value is read from its first byte, without preceding spaces.
/// Reading stops directly after it, and the caller checks the bytes that follow.
///
/// The last byte of the text is the bracket that closes the root, or '\0'. Only `close` passes
/// over that bracket, and nothing passes over the '\0', so other functions can read the next byte
/// without comparing the position with the end.
class Reader {
 public:
  explicit Reader(const Limits& limits) noexcept
      : limits_(limits), complaints_(limits.errors_max), elements_left_(limits.elements_max) {}

  [[nodiscard]] Result<void> run(const reflect::Type& type, void* object, std::string_view text);

 private:
  [[nodiscard]] static const char* skip_spaces(const char* at) noexcept {
    while (is_space(*at)) {
      ++at;
    }
    return at;
  }
  bool pass_word(std::string_view word) noexcept {
    if (static_cast<std::size_t>(end_ - at_) < word.size() || !equal_bytes(at_, word)) {
      return false;
    }
    at_ += word.size();
    return true;
  }
  /// Passes over the name of a member and its colon, if it is this name without escapes.
  [[gnu::always_inline]] bool pass_name(std::string_view name) noexcept {
    const std::size_t size = name.size();
    if (static_cast<std::size_t>(end_ - at_) < size + 3 || *at_ != '"' || at_[size + 1] != '"' ||
        at_[size + 2] != ':' || !equal_bytes(at_ + 1, name)) {
      return false;
    }
    at_ = skip_spaces(at_ + size + 3);
    return true;
  }
  /// Passes over the bracket that closes the value at `path`. Only the root may end at the end of
  /// the text.
  bool close(const char* at, const Path& path) {
    at_ = at + 1;
    return at_ != end_ || path.depth() == 0 || give_up_syntax();
  }

  // reader.cc: the text as a whole, strings, and skipped values
  bool read_root(const reflect::Type& type, void* object);
  bool skip(const Path& path);
  bool skip_mistyped(const reflect::Type& type, const Path& path);
  bool enter(const Path& path) {
    return path.depth() < limits_.depth_max && path.depth() < Limits::kDepthMax ? true
                                                                                : give_up_nested();
  }
  bool count_element() { return elements_left_-- != 0 || give_up_elements(); }
  [[nodiscard]] std::string_view token() const noexcept;
  std::string_view name();
  std::string_view string();
  std::string_view escaped_string(const char* mark, std::string& to);
  [[gnu::cold]] bool give_up(std::string_view reason);
  [[gnu::cold]] bool give_up_syntax();
  [[gnu::cold]] bool give_up_nested();
  [[gnu::cold]] bool give_up_elements();

  // read_typed.cc: values of described types
  [[gnu::cold]] bool skip_unreadable(const Path& path);
  bool read(const reflect::Type& type, void* at, const Path& path);
  [[gnu::noinline]] bool read_bool(const reflect::Type& type, void* at, const Path& path);
  [[gnu::noinline]] bool read_integer(const reflect::Type& type, void* at, const Path& path);
  bool read_any_integer(const reflect::Type& type, void* at, const Path& path);
  [[gnu::noinline]] bool read_real(const reflect::Type& type, void* at, const Path& path);
  [[gnu::noinline]] bool read_string(const reflect::Type& type, void* at, const Path& path);
  [[gnu::noinline]] bool read_enum(const reflect::Type& type, void* at, const Path& path);
  [[gnu::noinline]] bool read_optional(const reflect::Optional& type, void* at, const Path& path);
  [[gnu::noinline]] bool read_bounded(const reflect::Constraint& type, void* at, const Path& path);
  [[gnu::noinline]] bool read_text(const reflect::Type& type, void* at, const Path& path);
  [[gnu::noinline]] bool read_set(const reflect::Type& type, void* at, const Path& path);
  [[gnu::noinline]] bool read_sequence(const reflect::Type& type, void* at, const Path& path);
  [[gnu::noinline]] bool read_array(const reflect::Type& type, void* at, const Path& path);
  [[gnu::noinline]] bool read_map(const reflect::Type& type, void* at, const Path& path);

  // read_struct.cc: objects into structs and variants
  [[gnu::noinline]] bool read_struct(const reflect::Type& type, void* at, const Path& path);
  bool read_members(const reflect::Structure& type, void* at, const Path& path,
                    std::string_view tag_name);
  bool read_unknown(const Path& path);
  [[gnu::noinline]] bool read_variant(const reflect::Type& type, void* at, const Path& path);
  bool find_tag(const Path& path, std::optional<std::string>& tag);

  // read_value.cc: values into json::Value
  [[gnu::noinline]] bool read_value(Value& at, const Path& path);
  bool read_value_array(Value& at, const Path& path);
  bool read_value_object(Value& at, const Path& path);
  bool read_value_string(Value& at);
  bool read_value_number(Value& at, const Path& path);

  /// Calls visit(its path) with the position at each element, until it returns false.
  /// Pre: *at_ is '['.
  template <class Visit>
  bool each_element(const Path& path, Visit visit);
  /// Calls visit(name, its path) with the position at each member's value, until it returns false.
  /// next_name reads the name and the colon. Pre: *at_ is '{'.
  template <class NextName, class Visit>
  bool each_member(const Path& path, NextName next_name, Visit visit);
  template <class Visit>
  bool each_member(const Path& path, Visit visit) {
    return each_member(path, [this] { return name(); }, visit);
  }

  const Limits& limits_;
  std::string_view text_;  // without the byte order mark
  std::size_t bom_bytes_ = 0;
  std::string copy_;
  const char* at_ = nullptr;  // null before reading starts
  const char* end_ = nullptr;
  Complaints complaints_;
  std::size_t elements_left_;
  std::string failure_;
  std::string unescaped_;  // the last string that had escapes
  // Names with escapes, of the members that are currently being read: paths point to them.
  std::forward_list<std::string> names_;
};

template <class Visit>
bool Reader::each_element(const Path& path, Visit visit) {
  if (!enter(path)) {
    return false;
  }
  const char* at = skip_spaces(at_ + 1);
  if (*at == ']') {
    return close(at, path);
  }
  Path below = path.element(0);
  for (std::size_t index = 0;; ++index) {
    at_ = at;
    below.set_index(index);
    if (!count_element() || !visit(std::as_const(below))) {
      return false;
    }
    at = skip_spaces(at_);
    if (*at != ',') {
      break;
    }
    at = skip_spaces(at + 1);
  }
  if (*at == ']') {
    return close(at, path);
  }
  at_ = at;
  return give_up_syntax();
}

template <class NextName, class Visit>
bool Reader::each_member(const Path& path, NextName next_name, Visit visit) {
  if (!enter(path)) {
    return false;
  }
  const char* at = skip_spaces(at_ + 1);
  if (*at == '}') {
    return close(at, path);
  }
  Path below = path.member({});
  for (;;) {
    at_ = at;
    const auto names_before = names_.begin();
    const std::string_view name = next_name();
    if (name.data() == nullptr) {
      return false;
    }
    below.set_name(name);
    if (!count_element() || !visit(name, std::as_const(below))) {
      return false;
    }
    while (names_.begin() != names_before) [[unlikely]] {
      names_.pop_front();  // an object with many such names must not keep all of them
    }
    at = skip_spaces(at_);
    if (*at != ',') {
      break;
    }
    at = skip_spaces(at + 1);
  }
  if (*at == '}') {
    return close(at, path);
  }
  at_ = at;
  return give_up_syntax();
}

}  // namespace eider::json::detail
