#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "eider/core/json/reader.h"
#include "eider/core/json/text.h"
#include "eider/core/reflect/scalar.h"
#include "eider/core/reflect/type_of.h"

namespace eider::json::detail {

namespace {

template <class Number>
std::optional<Number> number_in(std::string_view token) noexcept {
  Number number = 0;
  const auto& type = reflect::type_of<Number>();
  const auto parsed = type.kind == reflect::Kind::kReal
                          ? reflect::parse_real(type, &number, token)
                          : reflect::parse_integer(type, &number, token);
  return parsed == reflect::Parsed::kDone ? std::optional(number) : std::nullopt;
}

/// Returns the double that is written with these digits, or nothing: the shortest text of another
/// one differs. PostgreSQL writes 1e300 in a jsonb with 301 digits.
std::optional<double> double_of_digits(std::string_view token) {
  const auto number = number_in<double>(token);
  if (!number) {
    return std::nullopt;
  }
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), *number,
                                 std::chars_format::scientific);
  std::string shortest(buffer.data(), end.ptr);
  shortest.erase(shortest.find('e'));
  std::erase(shortest, '.');
  const auto without_zeros = [](std::string_view digits) {
    return digits.substr(0, digits.find_last_not_of('0') + 1);
  };
  return without_zeros(shortest) == without_zeros(token) ? number : std::nullopt;
}

/// Returns the number, exactly or rounded to a double, or nothing if it is too large.
std::optional<Value> number_value(std::string_view token, NumberForm form) {
  if (form == NumberForm::kReal) {
    const auto real = number_in<double>(token);
    return real ? std::optional<Value>(*real) : std::nullopt;
  }
  if (const auto number = number_in<std::int64_t>(token)) {
    return *number;
  }
  if (const auto large = number_in<std::uint64_t>(token)) {
    return *large;
  }
  const auto real = double_of_digits(token);
  return real ? std::optional<Value>(*real) : std::nullopt;
}

/// Sorts the names, so that the time is not quadratic in the number of members.
void note_doubled(Complaints& complaints, const Value::Object& members, const Path& path) {
  constexpr std::size_t kFew = 8;
  std::vector<std::string_view> names;
  if (members.size() <= kFew) {
    for (std::size_t i = 1; i < members.size(); ++i) {
      const auto same = [&](const Field& field) { return field.name == members[i].name; };
      if (std::any_of(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(i), same)) {
        complaints.add(path.member(members[i].name), reflect::wording::kDoubled);
      }
    }
    return;
  }
  for (const Field& field : members) {
    names.push_back(field.name);
  }
  std::ranges::sort(names);
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i] == names[i - 1]) {
      complaints.add(path.member(names[i]), reflect::wording::kDoubled);
    }
  }
}

/// Makes room for the first few elements: otherwise a std::vector would move each of them while it
/// grows.
template <class List>
void make_room(List& list) {
  if (list.capacity() == 0) {
    list.reserve(4);
  }
}

}  // namespace

bool Reader::read_value(Value& at, const Path& path) {
  if (*at_ == '[') {
    return read_value_array(at, path);
  }
  if (*at_ == '{') {
    return read_value_object(at, path);
  }
  if (*at_ == '"') {
    return read_value_string(at);
  }
  if (pass_word("null")) {
    at = nullptr;
    return true;
  }
  if (const bool is_true = pass_word("true"); is_true || pass_word("false")) {
    at = is_true;
    return true;
  }
  return read_value_number(at, path);
}

bool Reader::read_value_array(Value& at, const Path& path) {
  at = Value::Array();
  Value::Array& elements = at.elements();
  return each_element(path, [&](const Path& element_path) {
    make_room(elements);
    return read_value(elements.emplace_back(), element_path);
  });
}

bool Reader::read_value_object(Value& at, const Path& path) {
  at = Value::Object();
  Value::Object& members = at.members();
  const bool is_read = each_member(path, [&](std::string_view name, const Path& value_path) {
    make_room(members);
    Field& field = members.emplace_back(std::string(name), Value());
    return read_value(field.value, value_path);
  });
  if (is_read) {
    note_doubled(complaints_, members, path);
  }
  return is_read;
}

bool Reader::read_value_string(Value& at) {
  const std::string_view text = string();
  if (text.data() == nullptr) {
    return false;
  }
  at = text;
  return true;
}

bool Reader::read_value_number(Value& at, const Path& path) {
  const std::string_view found = token();
  const NumberForm form = number_form(found);
  if (form == NumberForm::kNone) {
    return give_up_syntax();
  }
  at_ += found.size();
  if (std::optional<Value> number = number_value(found, form)) {
    at = *std::move(number);
  } else {
    complaints_.add(path, reflect::wording::kTooLarge);
  }
  return true;
}

}  // namespace eider::json::detail
