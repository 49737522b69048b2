// A JSON document with fast access to members and references, whatever its size.
// Layering: must not copy or trust the document; references can be circular.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "eider/core/json/value.h"

namespace eider::openapi {

/// A value in a document, which must outlive it.
///
/// value    the JSON value null if it does not exist
/// pointer  its position (RFC 6901)
struct Part {
  const json::Value* value;
  std::string pointer;
};

/// The methods that a path item may have.
inline constexpr std::array<std::string_view, 8> kMethods{"get",   "head",   "post",    "put",
                                                          "patch", "delete", "options", "trace"};

/// Appends a name to a pointer: "/paths" and "/notes" make "/paths/~1notes" (RFC 6901).
[[nodiscard]] std::string below(std::string_view pointer, std::string_view name);
/// Unescapes a part of a pointer: "~1notes" is "/notes".
[[nodiscard]] std::string unescaped(std::string_view token);

/// Returns the member with that name if it is a string; otherwise an empty string.
[[nodiscard]] std::string text_at(const json::Value& value, std::string_view name);
/// Returns whether the member with that name is true.
[[nodiscard]] bool is_true(const json::Value& value, std::string_view name);
/// Returns the members of an object; nothing for other values.
[[nodiscard]] const std::vector<json::Field>& members_of(const json::Value& value);
/// Returns the elements of an array; nothing for other values.
[[nodiscard]] const std::vector<json::Value>& elements_of(const json::Value& value);
/// Returns the target of a reference within the document, or the value itself; null if the target
/// does not exist.
[[nodiscard]] const json::Value* resolved(const json::Value& document, const json::Value& value);

class Document {
 public:
  /// root  outlives it
  explicit Document(const json::Value& root) noexcept : root_(root) {}

  [[nodiscard]] Part root() const { return {&root_, {}}; }
  /// Returns the member with that name, or null. Large objects are indexed at the first access.
  [[nodiscard]] const json::Value* find(const json::Value& object, std::string_view name);
  [[nodiscard]] Part member(const Part& part, std::string_view name);
  [[nodiscard]] Part element(const Part& list, std::size_t index) const;
  /// Returns whether there were more accesses than any realistic document needs. Results for such a
  /// document are not reliable.
  [[nodiscard]] bool is_worn_out() const noexcept { return asked_ > kAskedMax; }
  /// Returns the target of its "$ref" within the document; null without a reference or a target.
  [[nodiscard]] Part target(const Part& part);
  /// Follows references to the end; returns `part` itself if it is not a reference.
  [[nodiscard]] Part followed(Part part);

 private:
  static constexpr std::size_t kAskedMax = 8'000'000;
  using Names = std::unordered_map<std::string_view, const json::Value*>;

  /// As Value::find_at, using the indexes.
  [[nodiscard]] const json::Value* at_pointer(std::string_view pointer);

  const json::Value& root_;
  std::unordered_map<const json::Value*, Names> indexes_;
  std::unordered_map<std::string_view, const json::Value*> targets_;  // by pointer
  std::size_t asked_ = 0;
};

}  // namespace eider::openapi
