#include "eider/protocols/http/preconditions.h"

#include <algorithm>

#include "eider/core/base/text.h"
#include "eider/protocols/http/date.h"

namespace eider {

namespace {

using Presence = Representation::Presence;

/// Most requests have no condition; a quick look at each name is enough to see that.
bool may_be_conditional(std::span<const Field> fields) noexcept {
  return std::ranges::any_of(fields, [](const Field& field) {
    return field.name.size() > 3 && field.name[2] == '-' && to_lower(field.name[0]) == 'i' &&
           to_lower(field.name[1]) == 'f';
  });
}

bool is_named(const Field& field, std::string_view name) noexcept {
  return equals_ignoring_case(field.name, name);
}

bool has_field(std::span<const Field> fields, std::string_view name) noexcept {
  return std::ranges::any_of(fields, [name](const Field& field) { return is_named(field, name); });
}

/// "*" matches any representation; a list matches one whose tag it contains.
bool names_it(std::string_view value, const Representation& it, TagStrength comparison) noexcept {
  if (it.presence == Presence::absent) {
    return false;
  }
  return value == "*" || (it.tag && lists_tag(value, *it.tag, comparison));
}

bool any_line_names_it(std::span<const Field> fields, std::string_view name,
                       const Representation& it, TagStrength comparison) noexcept {
  return std::ranges::any_of(fields, [&](const Field& field) {
    return is_named(field, name) && names_it(field.value, it, comparison);
  });
}

enum class DateOrder : std::uint8_t { unknown, not_later, later };

/// Compares the date of the representation with that of a field.
DateOrder compare_date(std::span<const Field> fields, std::string_view name,
                       const Representation& it, std::int64_t now_seconds) noexcept {
  const std::optional<std::string_view> value = find_only_field(fields, name);
  if (!value || !it.modified_seconds || it.presence == Presence::absent) {
    return DateOrder::unknown;
  }
  const std::optional<std::int64_t> date = parse_date(*value, now_seconds);
  if (!date) {
    return DateOrder::unknown;
  }
  return *it.modified_seconds <= *date ? DateOrder::not_later : DateOrder::later;
}

bool only_reads(Method method) noexcept {
  return method == Method::get || method == Method::head;
}

/// Steps 1 and 2: does the client mean the current representation?
bool is_meant(std::span<const Field> fields, const Representation& it,
              std::int64_t now_seconds) noexcept {
  if (has_field(fields, "If-Match")) {
    return any_line_names_it(fields, "If-Match", it, it.if_match);
  }
  return compare_date(fields, "If-Unmodified-Since", it, now_seconds) != DateOrder::later;
}

/// Steps 3 and 4: does the client not yet have it?
bool is_news(Method method, std::span<const Field> fields, const Representation& it,
             std::int64_t now_seconds) noexcept {
  if (has_field(fields, "If-None-Match")) {
    return !any_line_names_it(fields, "If-None-Match", it, TagStrength::weak);
  }
  return !only_reads(method) ||
         compare_date(fields, "If-Modified-Since", it, now_seconds) != DateOrder::not_later;
}

/// If-Range = entity-tag / HTTP-date
bool is_same(std::string_view validator, const Representation& it,
             std::int64_t now_seconds) noexcept {
  if (const std::optional<EntityTag> tag = parse_entity_tag(validator)) {
    return it.tag && matches(*tag, *it.tag, TagStrength::strong);
  }
  const std::optional<std::int64_t> date = parse_date(validator, now_seconds);
  // RFC 9110, 8.8.2.2: a date in the current second may apply to two versions, so it is not a
  // strong validator.
  return date && it.modified_seconds && *date == *it.modified_seconds && *date < now_seconds;
}

}  // namespace

Verdict evaluate_preconditions(Method method, std::span<const Field> fields,
                               const Representation& representation,
                               std::int64_t now_seconds) noexcept {
  if (!may_be_conditional(fields)) {
    return Verdict::proceed;
  }
  // RFC 9110, 13.2.2 defines the order: first whether it is the expected state, then whether it is
  // new.
  if (!is_meant(fields, representation, now_seconds)) {
    return Verdict::failed;
  }
  if (!is_news(method, fields, representation, now_seconds)) {
    return only_reads(method) ? Verdict::not_modified : Verdict::failed;
  }
  return Verdict::proceed;
}

bool names_state(std::span<const Field> fields, const Representation& representation,
                 std::int64_t now_seconds) noexcept {
  return has_field(fields, "If-Match") || find_only_field(fields, "If-None-Match") == "*" ||
         compare_date(fields, "If-Unmodified-Since", representation, now_seconds) !=
             DateOrder::unknown;
}

std::optional<std::string_view> applicable_range(Method method, std::span<const Field> fields,
                                                 const Representation& representation,
                                                 std::int64_t now_seconds) noexcept {
  const std::optional<std::string_view> range = find_only_field(fields, "Range");
  if (!range || method != Method::get || representation.presence == Presence::absent) {
    return std::nullopt;
  }
  if (!has_field(fields, "If-Range")) {
    return range;
  }
  const std::optional<std::string_view> validator = find_only_field(fields, "If-Range");
  const bool applies = validator && is_same(*validator, representation, now_seconds);
  return applies ? range : std::nullopt;
}

}  // namespace eider
