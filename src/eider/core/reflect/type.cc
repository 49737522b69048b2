#include "eider/core/reflect/type.h"

#include <algorithm>

namespace eider::reflect {

namespace {

template <class Range, class Matches>
auto find_in(const Range& range, Matches matches) noexcept -> decltype(range.begin()) {
  for (const auto& item : range) {
    if (matches(item)) {
      return &item;
    }
  }
  return nullptr;
}

}  // namespace

const Type& without_rules(const Type& type) noexcept {
  return type.kind == Kind::kConstrained ? without_rules(*type.constraint().value) : type;
}

const Member* Structure::find(std::string_view name) const noexcept {
  return find_in(*this, [name](const Member& member) { return member.name == name; });
}

MemberText Structure::text_about(std::string_view name) const noexcept {
  const auto found = std::ranges::find(about, name, &MemberText::member);
  return found == about.end() ? MemberText{} : *found;
}

const Enumerator* Enumeration::find(std::string_view name) const noexcept {
  return find_in(*this, [name](const Enumerator& enumerator) { return enumerator.name == name; });
}

const Enumerator* Enumeration::find(std::int64_t value) const noexcept {
  return find_in(*this,
                 [value](const Enumerator& enumerator) { return enumerator.value == value; });
}

const Alternative* Variant::find(std::string_view tag) const noexcept {
  return find_in(*this, [tag](const Alternative& option) { return option.type->name == tag; });
}

}  // namespace eider::reflect
