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

/// As a change tells it: its beginning, where it is long.
[[nodiscard]] std::string shown(const json::Value& value);

/// Compares schemas of two documents.
///
/// Each two of them that have to be compared are a pair, which is looked at once; a pair holds as
/// far as nothing speaks against it, its own words or a pair below. So schemas may refer to
/// themselves, and the time goes by how many pairs there are, whatever leads to them.
class SchemaChanges {
 public:
  /// What the newer schema has to go on with: taking in requests what was taken, or giving no more
  /// in responses than was given.
  enum class Way : std::uint8_t { taken, given };

  SchemaChanges(Document& older, Document& newer);

  void compare(const Part& older, const Part& newer, Way way);

  /// Each once, in the order in which they were found.
  [[nodiscard]] std::vector<Change> take();
  void add(std::string pointer, std::string what);

 private:
  using Id = std::size_t;

  /// Two schemas of which all values of the one should be values of the other.
  struct Pair {
    Schema narrow;
    Schema wide;
    Way way;
  };
  /// Pairs one of which has to hold.
  ///
  /// instead  whose own faults are told where none does; nothing: `otherwise` is
  struct Choice {
    std::vector<Id> options;
    std::optional<Id> instead;
    Change otherwise;
  };
  /// What is known of a pair: what speaks against it by itself, the pairs that have to hold with
  /// it, and those that it has to hold for.
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
