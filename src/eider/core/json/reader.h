// Reads one JSON text: walks the parser's values and the type's description together.
// Layering: must not be included outside json/: it drags the JSON parser in.
#pragma once

#include <cstddef>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "eider/core/base/result.h"
#include "eider/core/json/limits.h"
#include "eider/core/json/path.h"
#include "eider/core/json/value.h"
#include "eider/core/reflect/type.h"
#include "eider/core/reflect/wording.h"

namespace eider::json::detail {

/// Keeps the first ones, and counts them all.
class Complaints {
 public:
  explicit Complaints(std::size_t kept_max) noexcept : kept_max_(kept_max) {}

  void add(const Path& path, const Requirement& broken) {
    if (has_room()) {
      kept_.push_back(field_error(path.pointer(), broken));
    }
    ++count_;
  }
  /// One below `path`.
  void add(const Path& path, FieldError below) {
    if (has_room()) {
      below.pointer.insert(0, path.pointer());
      kept_.push_back(std::move(below));
    }
    ++count_;
  }
  /// Of one without room nobody reads what was required.
  [[nodiscard]] bool has_room() const noexcept { return kept_.size() < kept_max_; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  [[nodiscard]] Result<void> verdict() && {
    return count_ == 0 ? Result<void>() : fail(Error::invalid(std::move(kept_)));
  }

 private:
  std::size_t kept_max_;
  std::vector<FieldError> kept_;
  std::size_t count_ = 0;
};

[[nodiscard]] inline bool is(simdjson::ondemand::value& source,
                             simdjson::ondemand::json_type kind) noexcept {
  simdjson::ondemand::json_type actual;
  return source.type().get(actual) == simdjson::SUCCESS && actual == kind;
}

/// A number, true, false or null as it was sent.
[[nodiscard]] std::string_view token_of(simdjson::ondemand::value& source) noexcept;

/// Each function that returns bool returns false when the text is not JSON or is beyond a limit;
/// then nothing more can be read. What only does not fit the type is noted, and reading goes on.
class Reader {
 public:
  explicit Reader(const Limits& limits) noexcept
      : limits_(limits), complaints_(limits.errors_max) {}

  [[nodiscard]] Result<void> run(const reflect::Type& type, void* object, std::string_view text);

 private:
  using Source = simdjson::ondemand::value;
  using Members = simdjson::ondemand::object;
  using Kind = simdjson::ondemand::json_type;

  // reader.cc: the text as a whole, and values that nobody wants
  bool read_root(const reflect::Type& type, void* object);
  bool skip(Source& source, const Path& path);
  bool skip_mistyped(Source& source, const reflect::Type& type, const Path& path);
  bool enter(const Path& path);
  bool count_element();
  std::string_view name_of(simdjson::ondemand::field& member);
  std::string_view string_of(Source& source);
  bool unescape_into(std::string& to, std::string_view raw);
  bool give_up(std::string_view reason);
  bool give_up(simdjson::error_code code);

  // read_typed.cc: values into what a description says
  bool read(Source& source, const reflect::Type& type, void* at, const Path& path);
  bool read_bool(Source& source, const reflect::Type& type, void* at, const Path& path);
  bool read_integer(Source& source, const reflect::Type& type, void* at, const Path& path);
  bool read_real(Source& source, const reflect::Type& type, void* at, const Path& path);
  bool read_string(Source& source, const reflect::Type& type, void* at, const Path& path);
  bool read_enum(Source& source, const reflect::Type& type, void* at, const Path& path);
  bool read_optional(Source& source, const reflect::Optional& type, void* at, const Path& path);
  bool read_bounded(Source& source, const reflect::Constraint& type, void* at, const Path& path);
  bool read_text(Source& source, const reflect::Type& type, void* at, const Path& path);
  bool read_set(Source& source, const reflect::Type& type, void* at, const Path& path);
  bool read_sequence(Source& source, const reflect::Type& type, void* at, const Path& path);
  bool read_array(Source& source, const reflect::Type& type, void* at, const Path& path);
  bool read_map(Source& source, const reflect::Type& type, void* at, const Path& path);

  // read_struct.cc: objects into structs and variants
  bool read_struct(Source& source, const reflect::Type& type, void* at, const Path& path);
  bool read_members(Members& members, const reflect::Structure& type, void* at, const Path& path,
                    std::string_view tag_name);
  bool read_unknown(Source& source, const Path& path);
  bool read_variant(Source& source, const reflect::Type& type, void* at, const Path& path);
  simdjson::error_code find_tag(Members& members, std::optional<std::string>& tag);
  bool read_tagged(Members& members, const reflect::Variant& type, void* at, const Path& path,
                   const std::optional<std::string>& tag);

  // read_value.cc: values into json::Value
  bool read_value(Source& source, Value& at, const Path& path);
  bool read_value_array(Source& source, Value& at, const Path& path);
  bool read_value_object(Source& source, Value& at, const Path& path);
  bool read_value_string(Source& source, Value& at);
  bool read_value_token(std::string_view token, Value& at, const Path& path);

  /// Calls visit(element, its path) until it returns false. Pre: source is an array.
  template <class Visit>
  bool each_element(Source& source, const Path& path, Visit visit);
  /// Calls visit(value, name, its path) until it returns false.
  template <class Visit>
  bool each_member(Members& members, const Path& path, Visit visit);
  /// Pre: source is an object.
  template <class Visit>
  bool each_member(Source& source, const Path& path, Visit visit);

  const Limits& limits_;
  std::string_view text_;       // as it was handed in
  const char* copy_ = nullptr;  // the parser's copy, once it is being walked
  simdjson::ondemand::document document_;
  Complaints complaints_;
  std::size_t elements_ = 0;
  std::string failure_;
  std::string unescaped_;                 // the last string that had escapes
  std::forward_list<std::string> names_;  // all names that had: paths point to them
};

template <class Visit>
bool Reader::each_element(Source& source, const Path& path, Visit visit) {
  simdjson::ondemand::array elements;
  if (!enter(path)) {
    return false;
  }
  if (const auto code = source.get_array().get(elements)) {
    return give_up(code);
  }
  std::size_t index = 0;
  for (auto element : elements) {
    if (element.error() != simdjson::SUCCESS) {
      return give_up(element.error());
    }
    Source&& value = std::move(element).value_unsafe();
    if (!count_element() || !visit(value, path.element(index++))) {
      return false;
    }
  }
  return true;
}

template <class Visit>
bool Reader::each_member(Members& members, const Path& path, Visit visit) {
  for (auto member : members) {
    if (member.error() != simdjson::SUCCESS) {
      return give_up(member.error());
    }
    simdjson::ondemand::field&& field = std::move(member).value_unsafe();
    const std::string_view name = name_of(field);
    Source& value = field.value();  // no copy: it took a fifth of the time of small objects
    if (name.data() == nullptr || !count_element() || !visit(value, name, path.member(name))) {
      return false;
    }
  }
  return true;
}

template <class Visit>
bool Reader::each_member(Source& source, const Path& path, Visit visit) {
  Members members;
  if (!enter(path)) {
    return false;
  }
  if (const auto code = source.get_object().get(members)) {
    return give_up(code);
  }
  return each_member(members, path, visit);
}

}  // namespace eider::json::detail
