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

/// A place in a document, which has to stay.
///
/// value    null, the JSON value, where nothing stands there
/// pointer  where it is (RFC 6901)
struct Part {
  const json::Value* value;
  std::string pointer;
};

/// The members of a path that are operations.
inline constexpr std::array<std::string_view, 8> kMethods{"get",   "head",   "post",    "put",
                                                          "patch", "delete", "options", "trace"};

/// "/paths" and "/notes" make "/paths/~1notes" (RFC 6901).
[[nodiscard]] std::string below(std::string_view pointer, std::string_view name);
/// "~1notes" is "/notes".
[[nodiscard]] std::string unescaped(std::string_view token);

/// The member of that name, if it is a string; else empty.
[[nodiscard]] std::string text_at(const json::Value& value, std::string_view name);
/// Whether the member of that name is true.
[[nodiscard]] bool is_true(const json::Value& value, std::string_view name);
/// The members of an object; none of any other value.
[[nodiscard]] const std::vector<json::Field>& members_of(const json::Value& value);
/// The elements of an array; none of any other value.
[[nodiscard]] const std::vector<json::Value>& elements_of(const json::Value& value);
/// The target of a reference within the document, or the value itself; null: there is no target.
[[nodiscard]] const json::Value* resolved(const json::Value& document, const json::Value& value);

class Document {
 public:
  /// root  outlives it
  explicit Document(const json::Value& root) noexcept : root_(root) {}

  [[nodiscard]] Part root() const { return {&root_, {}}; }
  /// The member of that name, or null. Large objects are indexed when they are first asked.
  [[nodiscard]] const json::Value* find(const json::Value& object, std::string_view name);
  [[nodiscard]] Part member(const Part& part, std::string_view name);
  [[nodiscard]] Part element(const Part& list, std::size_t index) const;
  /// Whether it has been asked more often than any document that people write has to be. What is
  /// told of one made to keep us busy is not worth the time.
  [[nodiscard]] bool is_worn_out() const noexcept { return asked_ > kAskedMax; }
  /// What a "$ref" of it leads to within the document; null where it has none, or leads nowhere.
  [[nodiscard]] Part target(const Part& part);
  /// The same for as long as it leads on: `part` itself where it is no reference.
  [[nodiscard]] Part followed(Part part);

 private:
  static constexpr std::size_t kAskedMax = 8'000'000;
  using Names = std::unordered_map<std::string_view, const json::Value*>;

  /// The same as Value::find_at, by the indexes.
  [[nodiscard]] const json::Value* at_pointer(std::string_view pointer);

  const json::Value& root_;
  std::unordered_map<const json::Value*, Names> indexes_;
  std::unordered_map<std::string_view, const json::Value*> targets_;  // by pointer
  std::size_t asked_ = 0;
};

}  // namespace eider::openapi
