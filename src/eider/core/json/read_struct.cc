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

/// The index of the member of that name, looked for from `expected` on and then around: members
/// mostly come in the order of declaration. Returns type.count when there is none.
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

/// What the struct says of itself.
void note_faults(Complaints& complaints, const Structure& type, const void* object,
                 const Path& path) {
  ValidationErrors faults(type, object);
  type.check(object, faults);
  for (FieldError& fault : faults.found()) {
    complaints.add(path, std::move(fault));
  }
}

}  // namespace

bool Reader::read_struct(Source& source, const Type& type, void* at, const Path& path) {
  if (!is(source, Kind::object)) {
    return skip_mistyped(source, type, path);
  }
  Members members;
  if (!enter(path)) {
    return false;
  }
  if (const auto code = source.get_object().get(members)) {
    return give_up(code);
  }
  return read_members(members, type.structure(), at, path, {});
}

/// tag_name  the member that told a variant which struct this is, or empty
bool Reader::read_members(Members& members, const Structure& type, void* at, const Path& path,
                          std::string_view tag_name) {
  const std::size_t complaints_before = complaints_.count();
  std::uint64_t seen = 0;
  std::size_t expected = 0;
  const bool is_read =
      each_member(members, path, [&](Source& value, std::string_view name, const Path& value_path) {
        const bool is_tag = !tag_name.empty() && name == tag_name;
        const std::size_t index = is_tag ? kTagIndex : member_index(type, name, expected);
        if (index == type.count) {
          return read_unknown(value, value_path);
        }
        if ((seen & bit(index)) != 0) {
          complaints_.add(value_path, reflect::wording::kDoubled);
          return skip(value, value_path);
        }
        seen |= bit(index);
        if (is_tag) {
          return skip(value, value_path);
        }
        expected = index + 1;
        const reflect::Member& member = type.first[index];
        return read(value, *member.type, member.in(at), value_path);
      });
  if (is_read) {
    note_missing(complaints_, type, seen, path);
    if (type.check != nullptr && complaints_.count() == complaints_before) [[unlikely]] {
      note_faults(complaints_, type, at, path);
    }
  }
  return is_read;
}

bool Reader::read_unknown(Source& source, const Path& path) {
  if (limits_.unknown_members == UnknownMembers::kRefuse) {
    complaints_.add(path, reflect::wording::kUnknown);
  }
  return skip(source, path);
}

/// The tag may stand behind the members that it explains: the object is walked for it first.
bool Reader::read_variant(Source& source, const Type& type, void* at, const Path& path) {
  if (!is(source, Kind::object)) {
    return skip_mistyped(source, type, path);
  }
  Members members;
  if (!enter(path)) {
    return false;
  }
  if (const auto code = source.get_object().get(members)) {
    return give_up(code);
  }
  // Of what is broken nothing can be walked again: simdjson has let go of the text.
  std::optional<std::string> tag;
  if (const auto code = find_tag(members, tag)) {
    return give_up(code);
  }
  if (const auto code = members.reset().error()) {
    return give_up(code);
  }
  return read_tagged(members, type.variant(), at, path, tag);
}

/// The text of the first member with the name of the tag; "", which names no struct, if that is no
/// string.
simdjson::error_code Reader::find_tag(Members& members, std::optional<std::string>& tag) {
  for (auto member : members) {
    if (member.error() != simdjson::SUCCESS) {
      return member.error();
    }
    simdjson::ondemand::field field = std::move(member).value_unsafe();
    if (name_of(field) == reflect::Variant::kTagName) {
      Source value = field.value();
      tag = is(value, Kind::string) ? string_of(value) : std::string_view();
      break;
    }
  }
  return simdjson::SUCCESS;
}

bool Reader::read_tagged(Members& members, const reflect::Variant& type, void* at, const Path& path,
                         const std::optional<std::string>& tag) {
  const reflect::Alternative* const found = tag ? type.find(*tag) : nullptr;
  if (found != nullptr) {
    return read_members(members, found->type->structure(), found->emplace(at), path, type.kTagName);
  }
  complaints_.add(path.member(type.kTagName),
                  tag ? tag_requirement(type) : reflect::wording::kMissing);
  return each_member(members, path,
                     [this](Source& value, std::string_view, const Path& value_path) {
                       return skip(value, value_path);
                     });
}

}  // namespace eider::json::detail
