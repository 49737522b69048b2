// Checks whether all values of one JSON Schema are values of another, and reports differences.
// Layering: must not know operations.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/openapi/changes.h"
#include "cli/openapi/document.h"
#include "cli/openapi/schema_parts.h"

namespace eider::openapi {

/// Returns a value for the text of a change, shortened if it is long.
[[nodiscard]] std::string shown(const json::Value& value);

/// Compares schemas of two documents.
///
/// Two schemas to be compared are a pair, and each pair is compared only once. A pair holds unless
/// it, or a pair that it needs, has a difference. So schemas may be recursive, and the time depends
/// on the number of pairs, not on the references to them.
class SchemaChanges {
 public:
  /// Required relation of the newer schema: for requests, it must accept all values of the older
  /// one; for responses, it must allow no other values.
  enum class Way : std::uint8_t { taken, given };

  SchemaChanges(Document& older, Document& newer);

  void compare(const Part& older, const Part& newer, Way way);

  /// Returns the changes in the order in which they were found, without duplicates.
  [[nodiscard]] std::vector<Change> take();
  void add(std::string pointer, std::string what);

 private:
  using Id = std::size_t;

  /// Two schemas: all values of `narrow` should be values of `wide`.
  struct Pair {
    Schema narrow;
    Schema wide;
    Way way;
  };
  /// Pairs one of which must hold.
  ///
  /// instead  if none holds, the differences of this pair are reported; empty: `otherwise` is
  struct Choice {
    std::vector<Id> options;
    std::optional<Id> instead;
    Change otherwise;
  };
  /// The result for a pair: its own differences, the pairs that it needs, and the pairs that need
  /// it.
  struct Finding {
    std::vector<Change> faults;
    std::vector<Id> needed;
    std::vector<Choice> choices;
    std::vector<Id> used_by;
    bool holds = true;
    bool is_told = false;
  };
  using Key = std::vector<const void*>;

  struct Branches;

  [[nodiscard]] static std::vector<Branches> branches_of(Document& document, const Schema& schema);
  [[nodiscard]] Document& narrow_document(Way way) const;
  [[nodiscard]] Document& wide_document(Way way) const;
  [[nodiscard]] static Key key_of(const Pair& pair);
  Id id_of(Id user, Pair pair);
  Id id_of_all(Id user);
  [[nodiscard]] bool is_full() const noexcept;
  void need(Id user, Pair pair);

  void look_at(Id id, const Pair& pair);
  void look_at_choices(Id id, const Pair& pair);
  void look_at_types(Id id, const Pair& pair);
  void look_at_enums(Id id, const Pair& pair);
  void look_at_words(Id id, const Pair& pair);
  void look_at_required(Id id, const Pair& pair);
  void look_at_properties(Id id, const Pair& pair);
  void look_at_items(Id id, const Pair& pair);
  void look_at_others(Id id, const Pair& pair);
  void look_at_not(Id id, const Pair& pair);
  void look_at_conditions(Id id, const Pair& pair);
  void look_at_dependents(Id id, const Pair& pair);
  void fault(Id id, const Pair& pair, std::string_view what);
  void fault_of(Id id, const Pair& pair, std::string_view keyword);
  [[nodiscard]] Change change_of(const Pair& pair, std::string_view what) const;
  [[nodiscard]] std::string text_of(Document& document, const Schema& schema,
                                    std::string_view keyword) const;

  void settle(Id first_new);
  [[nodiscard]] bool still_holds(const Finding& finding) const;
  void tell(Id root);
  void tell_own(Finding& finding, std::vector<Id>& next);

  Document& older_;
  Document& newer_;
  std::deque<Finding> findings_;
  std::map<Key, Id> ids_;
  std::vector<std::pair<Id, Pair>> waiting_;
  bool is_cut_short_ = false;
  std::vector<Change> found_;
  std::set<std::pair<std::string, std::string>> told_;
};

}  // namespace eider::openapi
