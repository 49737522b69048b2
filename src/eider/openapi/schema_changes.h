// Whether all values of one JSON Schema are values of another, and where they are not.
// Must not know operations.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "eider/json/value.h"
#include "eider/openapi/changes.h"

namespace eider::detail::openapi {

using eider::openapi::Change;

/// What stands at `pointer` of the document, its references followed: `document` has to stay.
struct Part {
  json::Value value;
  std::string pointer;
};
[[nodiscard]] Part part_at(const json::Value& document, const json::Value& value,
                           std::string pointer);
/// "/paths" and "/notes" make "/paths/~1notes".
[[nodiscard]] std::string below(std::string_view pointer, std::string_view name);

/// Compares schemas of two documents.
class SchemaChanges {
 public:
  /// What the newer schema has to go on with: taking in requests what was taken, or giving no more
  /// in answers than was given.
  enum class Way : std::uint8_t { taken, given };

  SchemaChanges(const json::Value& older, const json::Value& newer)
      : older_(older), newer_(newer) {}

  void compare(const Part& older, const Part& newer, Way way);

  /// Each once, in the order in which they were found.
  [[nodiscard]] std::vector<Change> take() { return std::move(found_); }
  void add(std::string pointer, std::string what);

 private:
  /// Two schemas of which all values of the one should be values of the other.
  struct Pair {
    const Part& narrow;
    const Part& wide;
    Way way;
  };

  [[nodiscard]] Part member(const Part& part, std::string_view name, bool is_older) const;
  [[nodiscard]] std::vector<Part> options(const Part& part, bool is_older) const;
  void compare_narrow(const Pair& pair);
  void compare_options(const Pair& pair);
  [[nodiscard]] bool fits(const Pair& pair);
  void compare_words(const Pair& pair);
  void compare_types(const Pair& pair);
  void compare_enums(const Pair& pair);
  void compare_properties(const Pair& pair);
  void compare_below(const Pair& pair, std::string_view name);
  void tell(const Pair& pair, std::string_view what);
  void tell_change(const Pair& pair, std::string_view keyword);

  const json::Value& older_;
  const json::Value& newer_;
  std::vector<Change> found_;
  std::set<std::string> seen_;
};

}  // namespace eider::detail::openapi
