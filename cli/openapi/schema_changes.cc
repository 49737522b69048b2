#include "cli/openapi/schema_changes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_set>

#include "eider/core/json/write.h"

namespace eider::openapi {

namespace {

using json::Value;

constexpr std::size_t kPairsMax = 200'000;
constexpr SchemaChanges::Way kTaken = SchemaChanges::Way::taken;

/// If several limits apply, the highest lower limit or the lowest upper limit counts.
enum class Bound : std::uint8_t { lower, upper };
struct BoundWord {
  std::string_view keyword;
  Bound bound;
};
constexpr std::array kBounds = {
    BoundWord{"minimum", Bound::lower},       BoundWord{"exclusiveMinimum", Bound::lower},
    BoundWord{"maximum", Bound::upper},       BoundWord{"exclusiveMaximum", Bound::upper},
    BoundWord{"minLength", Bound::lower},     BoundWord{"maxLength", Bound::upper},
    BoundWord{"minItems", Bound::lower},      BoundWord{"maxItems", Bound::upper},
    BoundWord{"minProperties", Bound::lower}, BoundWord{"maxProperties", Bound::upper}};
/// Keywords that are only compared for equality, because it is not possible to decide which of two
/// patterns is stricter. They include non-numeric limits (exclusiveMinimum of OpenAPI 3.0).
constexpr std::array<std::string_view, 6> kFacts = {
    "multipleOf", "pattern", "format", "uniqueItems", "exclusiveMinimum", "exclusiveMaximum"};

std::optional<double> bound_of(const std::vector<const Value*>& values, Bound bound) {
  std::optional<double> found;
  for (const Value* const value : values) {
    if (value->is_number()) {
      const double number = value->number();
      const bool is_tighter = !found || (bound == Bound::lower ? number > *found : number < *found);
      found = is_tighter ? number : *found;
    }
  }
  return found;
}

std::set<std::string> facts_of(const std::vector<const Value*>& values, std::string_view keyword) {
  std::set<std::string> facts;
  for (const Value* const value : values) {
    const bool is_bound = keyword.starts_with("exclusive") && value->is_number();
    const bool is_off = value->is_bool() && !value->boolean();
    if (!is_bound && !is_off) {
      facts.insert(json::to_text(*value));
    }
  }
  return facts;
}

Schema without_choices(const Schema& schema) {
  return {.place = schema.place, .parts = schema.parts, .is_never = schema.is_never};
}

bool may_be(const std::optional<std::set<std::string>>& types, const std::string& type) {
  return !types || types->contains(type);
}

}  // namespace

std::string shown(const Value& value) {
  constexpr std::size_t kBytesMax = 200;
  std::string text = json::to_text(value);
  if (text.size() > kBytesMax) {
    std::size_t end = kBytesMax;
    while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
      --end;  // do not split a code point
    }
    text.resize(end);
    text += "…";
  }
  return text;
}

SchemaChanges::SchemaChanges(Document& older, Document& newer) : older_(older), newer_(newer) {
  findings_.emplace_back();  // the placeholder for pairs that are not compared
}

Document& SchemaChanges::narrow_document(Way way) const {
  return way == kTaken ? older_ : newer_;
}

Document& SchemaChanges::wide_document(Way way) const {
  return way == kTaken ? newer_ : older_;
}

void SchemaChanges::add(std::string pointer, std::string what) {
  if (told_.emplace(pointer, what).second) {
    found_.push_back({std::move(pointer), std::move(what)});
  }
}

std::vector<Change> SchemaChanges::take() {
  if (is_cut_short_ || older_.is_worn_out() || newer_.is_worn_out()) {
    add("", "the schemas are too large to compare completely");
  }
  return std::move(found_);
}

void SchemaChanges::compare(const Part& older, const Part& newer, Way way) {
  const Id first_new = findings_.size();
  Schema was = schema_of(older_, {older});
  Schema is = schema_of(newer_, {newer});
  const Id root = way == kTaken ? id_of(0, {std::move(was), std::move(is), way})
                                : id_of(0, {std::move(is), std::move(was), way});
  while (!waiting_.empty()) {
    const auto [id, pair] = std::move(waiting_.back());
    waiting_.pop_back();
    look_at(id, pair);
  }
  settle(first_new);
  tell(root);
}

SchemaChanges::Key SchemaChanges::key_of(const Pair& pair) {
  Key key;
  for (const Schema* const schema : {&pair.narrow, &pair.wide}) {
    for (const std::vector<Part>* const parts : {&schema->parts, &schema->choices}) {
      const auto begin = static_cast<std::ptrdiff_t>(key.size());
      for (const Part& part : *parts) {
        key.push_back(part.value);
      }
      std::ranges::sort(key.begin() + begin, key.end(), std::less<>());
      key.push_back(nullptr);
    }
    key.push_back(schema->is_never ? schema->place.value : nullptr);
  }
  key.push_back(pair.way == kTaken ? static_cast<const void*>(&kTaken) : nullptr);
  return key;
}

bool SchemaChanges::is_full() const noexcept {
  return findings_.size() > kPairsMax || older_.is_worn_out() || newer_.is_worn_out();
}

SchemaChanges::Id SchemaChanges::id_of(Id user, Pair pair) {
  if (is_full()) {
    is_cut_short_ = true;
    return 0;
  }
  const auto [at, is_new] = ids_.try_emplace(key_of(pair), findings_.size());
  const Id id = at->second;
  if (is_new) {
    findings_.emplace_back();
    waiting_.emplace_back(id, std::move(pair));
  }
  findings_[id].used_by.push_back(user);
  return id;
}

void SchemaChanges::need(Id user, Pair pair) {
  if (!pair.wide.says_nothing()) {
    findings_[user].needed.push_back(id_of(user, std::move(pair)));
  }
}

void SchemaChanges::look_at(Id id, const Pair& pair) {
  if (pair.narrow.is_never || pair.wide.says_nothing()) {
    return;
  }
  if (pair.wide.is_never) {
    fault(id, pair, "no value is allowed any longer");
    return;
  }
  if (!pair.narrow.choices.empty() || !pair.wide.choices.empty()) {
    look_at_choices(id, pair);
    return;
  }
  look_at_types(id, pair);
  look_at_enums(id, pair);
  look_at_words(id, pair);
  look_at_required(id, pair);
  look_at_properties(id, pair);
  look_at_others(id, pair);
  look_at_items(id, pair);
  look_at_not(id, pair);
  look_at_conditions(id, pair);
  look_at_dependents(id, pair);
}

/// Each alternative of the narrow schema must match the keywords of the wide one, and one option of
/// each of its choices. If an alternative matches none, and both have the same number, the
/// differences from the option at the same position are reported.
void SchemaChanges::look_at_choices(Id id, const Pair& pair) {
  Document& wide = wide_document(pair.way);
  const auto chosen = alternatives_of(narrow_document(pair.way), pair.narrow);
  if (!chosen) {
    is_cut_short_ = true;
    return;
  }
  std::vector<Schema> alternatives;
  for (const Schema& one : *chosen) {
    std::ranges::move(by_type(narrow_document(pair.way), one), std::back_inserter(alternatives));
  }
  const std::string_view gone =
      pair.way == kTaken ? "an alternative was removed: " : "an alternative is new: ";
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    const Schema& alternative = alternatives[i];
    need(id, {alternative, without_choices(pair.wide), pair.way});
    for (const Part& list : pair.wide.choices) {
      if (list.value->size() * alternatives.size() > kPairsMax) {
        is_cut_short_ = true;
        continue;
      }
      Choice choice;
      for (std::size_t option = 0; option < list.value->size(); ++option) {
        choice.options.push_back(
            id_of(id, {alternative, schema_of(wide, {wide.element(list, option)}), pair.way}));
      }
      if (choice.options.size() == alternatives.size()) {
        choice.instead = choice.options[i];
      }
      choice.otherwise = change_of(pair, std::string(gone) + shown(*alternative.place.value));
      findings_[id].choices.push_back(std::move(choice));
    }
  }
}

void SchemaChanges::look_at_types(Id id, const Pair& pair) {
  const auto wide = types_of(wide_document(pair.way), pair.wide);
  if (!wide) {
    return;
  }
  const auto narrow = types_of(narrow_document(pair.way), pair.narrow);
  const bool is_within =
      narrow && std::ranges::all_of(*narrow, [&](const std::string& type) {
        return wide->contains(type) || (type == "integer" && wide->contains("number"));
      });
  if (!is_within) {
    fault_of(id, pair, "type");
  }
}

void SchemaChanges::look_at_enums(Id id, const Pair& pair) {
  const auto wide = enumeration_of(wide_document(pair.way), pair.wide);
  if (!wide) {
    return;
  }
  const auto narrow = enumeration_of(narrow_document(pair.way), pair.narrow);
  if (!narrow) {
    const bool is_const = values_of(wide_document(pair.way), pair.wide, "enum").empty();
    fault_of(id, pair, is_const ? "const" : "enum");
    return;
  }
  const std::unordered_set<std::string_view> allowed(wide->begin(), wide->end());
  for (const std::string& value : *narrow) {
    if (!allowed.contains(value)) {
      fault(id, pair, value + (pair.way == kTaken ? " was removed" : " is new"));
    }
  }
}

void SchemaChanges::look_at_words(Id id, const Pair& pair) {
  Document& of_narrow = narrow_document(pair.way);
  Document& of_wide = wide_document(pair.way);
  for (const auto& [keyword, bound] : kBounds) {
    const auto wide = bound_of(values_of(of_wide, pair.wide, keyword), bound);
    if (!wide) {
      continue;
    }
    const auto narrow = bound_of(values_of(of_narrow, pair.narrow, keyword), bound);
    if (!narrow || (bound == Bound::lower ? *narrow < *wide : *narrow > *wide)) {
      fault_of(id, pair, keyword);
    }
  }
  for (const std::string_view keyword : kFacts) {
    const auto wide = facts_of(values_of(of_wide, pair.wide, keyword), keyword);
    if (wide.empty()) {
      continue;
    }
    const auto narrow = facts_of(values_of(of_narrow, pair.narrow, keyword), keyword);
    if (!std::ranges::includes(narrow, wide)) {
      fault_of(id, pair, keyword);
    }
  }
}

void SchemaChanges::look_at_required(Id id, const Pair& pair) {
  const auto always = required_of(narrow_document(pair.way), pair.narrow);
  const std::unordered_set<std::string_view> known(always.begin(), always.end());
  const std::string_view what =
      pair.way == kTaken ? " is now required" : " is no longer always present";
  for (const std::string& name : required_of(wide_document(pair.way), pair.wide)) {
    if (!known.contains(name)) {
      fault(id, pair, json::to_text(name).append(what));
    }
  }
}

/// New members of a response are not breaking, because clients ignore them.
void SchemaChanges::look_at_properties(Id id, const Pair& pair) {
  Document& of_narrow = narrow_document(pair.way);
  Document& of_wide = wide_document(pair.way);
  for (const std::string_view name : properties_of(of_narrow, pair.narrow)) {
    if (allows(of_wide, pair.wide, name)) {
      need(id, {property_of(of_narrow, pair.narrow, name), property_of(of_wide, pair.wide, name),
                pair.way});
    } else if (pair.way == kTaken) {
      fault(id, pair, json::to_text(name) + " was removed");
    }
  }
}

/// Compares members that only one of the two schemas names, or none.
void SchemaChanges::look_at_others(Id id, const Pair& pair) {
  Document& of_narrow = narrow_document(pair.way);
  Document& of_wide = wide_document(pair.way);
  const Schema others = others_of(of_narrow, pair.narrow);
  const auto types = types_of(of_narrow, pair.narrow);
  if (!may_be(types, "object") || is_closed(of_narrow, pair.narrow)) {
    return;
  }
  if (pair.way == kTaken && is_closed(of_wide, pair.wide)) {
    fault(id, pair, "additional members are now rejected");
  }
  need(id, {others, others_of(of_wide, pair.wide), pair.way});
  if (others.says_nothing()) {
    return;
  }
  const auto named = properties_of(of_narrow, pair.narrow);
  const std::unordered_set<std::string_view> known(named.begin(), named.end());
  for (const std::string_view name : properties_of(of_wide, pair.wide)) {
    if (!known.contains(name)) {
      need(id, {others, property_of(of_wide, pair.wide, name), pair.way});
    }
  }
}

/// Compares each position that one of the two names in prefixItems, and the items after these, as
/// far as maxItems allows.
void SchemaChanges::look_at_items(Id id, const Pair& pair) {
  Document& of_narrow = narrow_document(pair.way);
  Document& of_wide = wide_document(pair.way);
  if (!may_be(types_of(of_narrow, pair.narrow), "array")) {
    return;
  }
  const std::size_t named =
      std::max(prefix_size_of(of_narrow, pair.narrow), prefix_size_of(of_wide, pair.wide));
  const auto longest = bound_of(values_of(of_narrow, pair.narrow, "maxItems"), Bound::upper);
  for (std::size_t index = 0; index <= named; ++index) {
    if (is_full() || (longest && *longest <= static_cast<double>(index))) {
      is_cut_short_ |= is_full();
      return;
    }
    need(id,
         {item_of(of_narrow, pair.narrow, index), item_of(of_wide, pair.wide, index), pair.way});
  }
}

/// For requests, the narrow schema is the older one; for responses, the newer one.
Change SchemaChanges::change_of(const Pair& pair, std::string_view what) const {
  const bool is_taken = pair.way == kTaken;
  return {(is_taken ? pair.wide : pair.narrow).place.pointer,
          std::string(is_taken ? "in requests: " : "in responses: ").append(what)};
}

void SchemaChanges::fault(Id id, const Pair& pair, std::string_view what) {
  findings_[id].faults.push_back(change_of(pair, what));
}

void SchemaChanges::fault_of(Id id, const Pair& pair, std::string_view keyword) {
  const bool is_taken = pair.way == kTaken;
  const Schema& older = is_taken ? pair.narrow : pair.wide;
  const Schema& newer = is_taken ? pair.wide : pair.narrow;
  fault(id, pair,
        std::string(keyword) + " was " + text_of(older_, older, keyword) + ", is " +
            text_of(newer_, newer, keyword));
}

std::string SchemaChanges::text_of(Document& document, const Schema& schema,
                                   std::string_view keyword) const {
  std::string text;
  for (const Value* const value : values_of(document, schema, keyword)) {
    text.append(text.empty() ? "" : " and ").append(shown(*value));
  }
  return text.empty() ? "nothing" : text;
}

bool SchemaChanges::still_holds(const Finding& finding) const {
  const auto holds = [this](Id id) { return findings_[id].holds; };
  return finding.faults.empty() && std::ranges::all_of(finding.needed, holds) &&
         std::ranges::all_of(finding.choices, [&](const Choice& choice) {
           return std::ranges::any_of(choice.options, holds);
         });
}

/// Propagates failures to the pairs that depend on them. Pairs that were settled before do not
/// change.
void SchemaChanges::settle(Id first_new) {
  std::vector<Id> waiting;
  for (Id id = first_new; id < findings_.size(); ++id) {
    waiting.push_back(id);
  }
  while (!waiting.empty()) {
    Finding& finding = findings_[waiting.back()];
    waiting.pop_back();
    if (finding.holds && !still_holds(finding)) {
      finding.holds = false;
      waiting.insert(waiting.end(), finding.used_by.begin(), finding.used_by.end());
    }
  }
}

/// Reports the differences of a pair before those of the pairs below it.
void SchemaChanges::tell(Id root) {
  std::vector<Id> waiting{root};
  while (!waiting.empty()) {
    Finding& finding = findings_[waiting.back()];
    waiting.pop_back();
    if (!finding.holds && !std::exchange(finding.is_told, true)) {
      std::vector<Id> next;
      tell_own(finding, next);
      waiting.insert(waiting.end(), next.rbegin(), next.rend());
    }
  }
}

void SchemaChanges::tell_own(Finding& finding, std::vector<Id>& next) {
  for (const Change& change : finding.faults) {
    add(change.pointer, change.what);
  }
  next = finding.needed;
  for (const Choice& choice : finding.choices) {
    const bool is_kept =
        std::ranges::any_of(choice.options, [this](Id id) { return findings_[id].holds; });
    if (!is_kept && choice.instead) {
      next.push_back(*choice.instead);
    } else if (!is_kept) {
      add(choice.otherwise.pointer, choice.otherwise.what);
    }
  }
}

}  // namespace eider::openapi
