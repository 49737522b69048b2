#include "eider/app/handlers/pairs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "eider/core/base/shortened.h"
#include "eider/core/base/url.h"
#include "eider/core/json/path.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/scratch.h"
#include "eider/core/reflect/text.h"
#include "eider/core/reflect/validation_errors.h"
#include "eider/core/reflect/wording.h"

namespace eider {

namespace {

using reflect::Kind;
using reflect::Member;
namespace wording = reflect::wording;

constexpr std::size_t kErrorsMax = 32;

using reflect::without_rules;

bool is_list(const reflect::Type& type) noexcept {
  const reflect::Type& bare = without_rules(type);
  return bare.kind == Kind::kSequence || bare.kind == Kind::kSet ||
         (bare.kind == Kind::kOptional && is_list(*bare.optional().value));
}

/// Returns whether browsers may send no pair for the type: for a checkbox that is not ticked, or a
/// list without a selection. Without a pair, the member keeps its initial value: false or empty.
bool may_send_nothing(const reflect::Type& type) noexcept {
  return is_list(type) || without_rules(type).kind == Kind::kBool;
}

bool breaks_rules(const reflect::Type& type, const void* value) {
  return type.kind == Kind::kConstrained && (!reflect::satisfies(type.constraint(), value) ||
                                             breaks_rules(*type.constraint().value, value));
}

bool is_bool(const reflect::Type& type) noexcept {
  const reflect::Type& bare = without_rules(type);
  return bare.kind == Kind::kBool ||
         (bare.kind == Kind::kOptional && is_bool(*bare.optional().value));
}

/// Fills the members of one struct from pairs.
class PairsReader {
 public:
  PairsReader(const reflect::Type& type, void* object, std::string_view passed,
              UnknownPairs unknown)
      : structure_(type.structure()), object_(object), passed_(passed), unknown_(unknown) {}

  void read(std::string_view name, std::string_view value) {
    if (errors_.size() == kErrorsMax) {
      return;  // nothing more is reported
    }
    const Member* member = structure_.find(name);
    if (member == nullptr) {
      const bool is_passed = !passed_.empty() && name == passed_;
      if (!is_passed && unknown_ != UnknownPairs::ignore) {
        refuse(name, unknown_ == UnknownPairs::reject_member ? wording::kUnknown
                                                             : wording::kUnknownParameter);
      }
      return;
    }
    const std::uint64_t bit = std::uint64_t{1} << (member - structure_.begin());
    const bool is_first = (seen_ & bit) == 0;
    seen_ |= bit;
    if (is_list(*member->type)) {
      add_to_list(*member, *member->type, member->in(object_), value, is_first);
    } else if (is_first) {
      assign(*member, *member->type, member->in(object_), value);
    } else {
      refuse(name, wording::kTakenTwice);
    }
  }

  void refuse(std::string_view name, const Requirement& broken) {
    refuse(
        field_error(detail::base::shortened(name, json::detail::Path::kPointerBytesMax), broken));
  }
  void refuse(FieldError error) {
    if (errors_.size() < kErrorsMax) {
      errors_.push_back(std::move(error));
    }
  }

  std::vector<FieldError> finish() {
    for (std::size_t i = 0; i < structure_.count; ++i) {
      const Member& member = structure_.first[i];
      const bool is_absent = (seen_ >> i & 1U) == 0;
      const bool is_missing = is_absent && structure_.is_required(i);
      if (is_missing && !may_send_nothing(*member.type)) {
        refuse(member.name, wording::kMissing);
      } else if (is_missing || (!is_absent && is_list(*member.type))) {
        check_rules(*member.type, member, member.in(object_));
      }
    }
    if (errors_.empty() && structure_.check != nullptr) {
      check_whole();
    }
    return std::move(errors_);
  }

 private:
  [[nodiscard]] bool is_wrong(std::string_view name) const {
    return std::ranges::find(errors_, name, &FieldError::pointer) != errors_.end();
  }

  /// Checks the constraints of a list when it has all its elements and none has an error; and of
  /// members without a pair.
  void check_rules(const reflect::Type& type, const Member& member, const void* object) {
    if (type.kind == Kind::kOptional && type.optional().get(object) != nullptr) {
      return check_rules(*type.optional().value, member, type.optional().get(object));
    }
    if (type.kind != Kind::kConstrained || is_wrong(member.name)) {
      return;
    }
    check_rules(*type.constraint().value, member, object);
    for (const Requirement& broken : reflect::broken_requirements(type.constraint(), object)) {
      refuse(member.name, broken);
    }
  }

  /// Checks the struct as a whole. Its errors name members, like all errors of pairs.
  void check_whole() {
    ValidationErrors faults(structure_, object_);
    structure_.check(object_, faults);
    for (FieldError& fault : faults.found()) {
      fault.pointer.erase(0, 1);
      refuse(std::move(fault));
    }
  }

  /// Adds an element to a list, or to the list in an optional, which stays empty for empty values.
  void add_to_list(const Member& member, const reflect::Type& type, void* object,
                   std::string_view value, bool is_first) {
    const reflect::Type& bare = without_rules(type);
    if (bare.kind == Kind::kSequence) {
      append(member, bare.sequence(), object, value, is_first);
    } else if (bare.kind == Kind::kSet) {
      add(member, bare.set(), object, value, is_first);
    } else {
      const reflect::Optional& optional = bare.optional();
      const bool starts = is_first || optional.get(object) == nullptr;
      if (starts && value.empty()) {
        return optional.set_null(object);
      }
      void* list = starts ? optional.emplace(object) : const_cast<void*>(optional.get(object));
      add_to_list(member, *optional.value, list, value, starts);
    }
  }

  void append(const Member& member, const reflect::Sequence& sequence, void* elements,
              std::string_view value, bool is_first) {
    if (is_first) {
      sequence.clear(elements);  // elements of an initializer apply only without pairs
    }
    assign(member, *sequence.element, sequence.append(elements), value);
  }

  void add(const Member& member, const reflect::Set& set, void* elements, std::string_view value,
           bool is_first) {
    if (is_first) {
      set.clear(elements);
    }
    // An element with an error has its initial value, so a second one is not a duplicate.
    auto fill = [&](void* element) { return assign(member, *set.element, element, value); };
    const auto added = set.add(elements, &fill, [](void* context, void* element) {
      return (*static_cast<decltype(fill)*>(context))(element);
    });
    if (added == reflect::Set::Added::kDoubled) {
      refuse(member.name, wording::kHeldTwice);
    } else if (added == reflect::Set::Added::kCrowded) {
      refuse(member.name, wording::kCrowded);
    }
  }

  bool assign(const Member& member, const reflect::Type& type, void* object,
              std::string_view value) {
    if (type.kind == Kind::kOptional && value.empty()) {
      type.optional().set_null(object);
      return true;
    }
    // A ticked checkbox without a value attribute sends "on" (HTML, the input element's default/on
    // mode).
    const bool is_ticked = value == "on" && is_bool(type);
    const auto read = reflect::read_text(type, object, is_ticked ? "true" : value);
    if (!read) {
      for (const Requirement& broken : read.error()) {
        refuse(member.name, broken);
      }
    }
    return read.has_value();
  }

  const reflect::Structure& structure_;
  void* object_;
  std::string_view passed_;
  UnknownPairs unknown_;
  std::uint64_t seen_ = 0;
  std::vector<FieldError> errors_;
};

}  // namespace

bool needs_pair(const reflect::Type& type, std::size_t index) {
  const reflect::Structure& structure = type.structure();
  const Member& member = structure.first[index];
  if (!structure.is_required(index) || !may_send_nothing(*member.type)) {
    return structure.is_required(index);
  }
  const reflect::detail::Scratch trial(type, structure.construct);  // a T{}, as without pairs
  return breaks_rules(*member.type, member.in(trial.object()));
}

bool may_be_pairs(const reflect::Type& type) noexcept {
  return type.kind == Kind::kStruct &&
         std::ranges::all_of(type.structure(), [](const Member& member) {
           const reflect::Type* bare = &without_rules(*member.type);
           if (bare->kind == Kind::kOptional && is_list(*bare)) {
             bare = &without_rules(*bare->optional().value);
           }
           return reflect::is_text_type(bare->kind == Kind::kSequence ? *bare->sequence().element
                                        : bare->kind == Kind::kSet    ? *bare->set().element
                                                                      : *bare);
         });
}

std::vector<FieldError> read_pairs(const reflect::Type& type, void* object, std::string_view pairs,
                                   std::string_view passed, UnknownPairs unknown) {
  PairsReader reader(type, object, passed, unknown);
  QueryReader query(pairs);
  while (const auto pair = query.next()) {
    const auto name = percent_decode(pair->name, Plus::space);
    const auto value = percent_decode(pair->value, Plus::space);
    if (name && value) {
      reader.read(*name, *value);
    } else if (unknown != UnknownPairs::ignore ||
               type.structure().find(name ? *name : pair->name) != nullptr) {
      reader.refuse(pair->name, wording::kBadEscape);
    }
  }
  return reader.finish();
}

}  // namespace eider
