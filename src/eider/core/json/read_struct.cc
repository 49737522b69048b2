#include <bit>

#include "eider/core/json/reader.h"
#include "eider/core/reflect/text.h"
#include "eider/core/reflect/tie.h"
#include "eider/core/reflect/validation_errors.h"

namespace eider::json::detail {

using reflect::Structure;
using reflect::Type;

namespace {

constexpr std::size_t kTagIndex = 63;  // the bit of the tag among those of the members seen
static_assert(kTagIndex >= reflect::kMembersMax);

constexpr std::uint64_t bit(std::size_t index) noexcept {
  return std::uint64_t{1} << index;
}

/// Returns the index of the member of that name, or type.count if there is none. The search starts
/// at `expected` and wraps around.
std::size_t member_index(const Structure& type, std::string_view name,
                         std::size_t expected) noexcept {
  for (std::size_t i = expected; i < type.count; ++i) {
    if (type.first[i].name == name) {
      return i;
    }
  }
  for (std::size_t i = 0; i < expected; ++i) {
    if (type.first[i].name == name) {
      return i;
    }
  }
  return type.count;
}

void note_missing(Complaints& complaints, const Structure& type, std::uint64_t seen,
                  const Path& path) {
  std::uint64_t absent = (bit(type.count) - 1) & ~seen;
  for (; absent != 0; absent &= absent - 1) {
    const auto index = static_cast<std::size_t>(std::countr_zero(absent));
    if (type.is_required(index)) {
      complaints.add(path.member(type.first[index].name), reflect::wording::kMissing);
    }
  }
}

/// Calls the struct's own `check` and records its errors.
void note_faults(Complaints& complaints, const Structure& type, const void* object,
                 const Path& path) {
  ValidationErrors faults(type, object);
  type.check(object, faults);
  for (FieldError& fault : faults.found()) {
    complaints.add(path, std::move(fault));
  }
}

}  // namespace

bool Reader::read_struct(const Type& type, void* at, const Path& path) {
  return *at_ == '{' ? read_members(type.structure(), at, path, {}) : skip_mistyped(type, path);
}

/// tag_name  the member that selects the struct of a variant, or empty
bool Reader::read_members(const Structure& type, void* at, const Path& path,
                          std::string_view tag_name) {
  const std::size_t complaints_before = complaints_.count();
  std::uint64_t seen = 0;
  std::size_t expected = 0;
  std::size_t index = 0;
  // Members are usually in the order of declaration: the name of the next one is compared in place.
  const auto next_name = [&] {
    index = expected;
    if (index < type.count && pass_name(type.first[index].name)) [[likely]] {
      return type.first[index].name;
    }
    const std::string_view found = name();
    const bool is_tag = !tag_name.empty() && found == tag_name;
    index = is_tag ? kTagIndex : member_index(type, found, expected);
    return found;
  };
  const auto read_one = [&](std::string_view, const Path& value_path) {
    if (index == type.count) [[unlikely]] {
      return read_unknown(value_path);
    }
    if ((seen & bit(index)) != 0) [[unlikely]] {
      complaints_.add(value_path, reflect::wording::kDoubled);
      return skip(value_path);
    }
    seen |= bit(index);
    if (index == kTagIndex) [[unlikely]] {
      return skip(value_path);
    }
    expected = index + 1;
    const reflect::Member& member = type.first[index];
    return read(*member.type, member.in(at), value_path);
  };
  if (!each_member(path, next_name, read_one)) {
    return false;
  }
  note_missing(complaints_, type, seen, path);
  if (type.check != nullptr && complaints_.count() == complaints_before) [[unlikely]] {
    note_faults(complaints_, type, at, path);
  }
  return true;
}

bool Reader::read_unknown(const Path& path) {
  if (limits_.unknown_members == UnknownMembers::kRefuse) {
    complaints_.add(path, reflect::wording::kUnknown);
  }
  return skip(path);
}

bool Reader::read_variant(const Type& type, void* at, const Path& path) {
  if (*at_ != '{') {
    return skip_mistyped(type, path);
  }
  std::optional<std::string> tag;
  if (!find_tag(path, tag)) {
    return false;
  }
  const reflect::Variant& variant = type.variant();
  const reflect::Alternative* const found = tag ? variant.find(*tag) : nullptr;
  if (found != nullptr) {
    return read_members(found->type->structure(), found->emplace(at), path, variant.kTagName);
  }
  complaints_.add(path.member(variant.kTagName),
                  [&] { return tag ? tag_requirement(variant) : reflect::wording::kMissing; });
  return skip(path);
}

/// Finds the text of the first member with the name of the tag, or "", which is not the name of a
/// struct, if its value is not a string. The tag may come after the other members, so the object is
/// searched for it first, and then the position is reset to the start.
bool Reader::find_tag(const Path& path, std::optional<std::string>& tag) {
  const char* const front = at_;
  const std::size_t elements_left = elements_left_;
  const auto skip_others = [&](std::string_view name, const Path& value_path) {
    if (name != reflect::Variant::kTagName) {
      return skip(value_path);
    }
    const std::string_view text = *at_ == '"' ? string() : std::string_view("");
    if (text.data() != nullptr) {
      tag = text;
    }
    return false;
  };
  const bool is_read = each_member(path, skip_others) || tag;
  if (is_read) {
    at_ = front;
    elements_left_ = elements_left;
  }
  return is_read;
}

}  // namespace eider::json::detail
