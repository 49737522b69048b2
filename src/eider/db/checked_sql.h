// Statements held while compiling against what `eider db check` found out of each literal.
// Must not be of any effect where EIDER_CHECKED_SQL is not set.
#pragma once

#ifdef EIDER_CHECKED_SQL

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

#include "eider/db/checked_column.h"
#include "eider/db/checked_hash.h"
#include "eider/db/row.h"
#include "eider/db/sql.h"
#include "eider/reflect/type_of.h"

namespace eider::db::checked {

/// What a column holds, as far as its database says. `other` comes as the database writes it, which
/// is no JSON.
enum class ColumnKind : std::uint8_t {
  unknown,
  boolean,
  integer,
  real,
  text,
  blob,
  json,
  array,
  other
};

struct Column {
  const char* name;
  ColumnKind kind;
  bool may_be_null;
};

/// One for each database that says something else of it.
///
/// hash     of its text
/// columns  the first one's place among all, and how many
struct Statement {
  std::uint64_t hash;
  std::size_t first;
  std::size_t count;
};

}  // namespace eider::db::checked

#include EIDER_CHECKED_SQL  // kStatements, by their hashes, kColumns, kTableColumns

namespace eider::db {

namespace detail {

// Never defined: the compiler names them when a statement is refused, with the name of the column.
void the_statement_is_not_in_the_lock_file__build_the_target_that_ends_with_sql_check();
template <auto kColumn>
void the_column_may_be_null__read_it_into_an_optional();
template <auto kColumn>
void the_column_is_of_another_type_than_the_member_of_its_name();
template <auto kColumn>
void the_column_has_no_member_of_its_name();
template <auto kMember>
void the_member_has_no_column__select_it_or_give_it_a_default();
void a_single_value_is_read_from_one_column();

/// What a member, or a single value, takes.
struct Taken {
  checked::ColumnKind kind;
  bool is_optional = false;
};

template <class T>
consteval Taken taken_by() {
  using checked::ColumnKind;
  if constexpr (reflect::detail::OptionalLike<T>) {
    return {taken_by<typename T::value_type>().kind, true};
  } else if constexpr (reflect::detail::Bounded<T>) {
    return taken_by<typename T::BoundedValue>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return {ColumnKind::boolean};
  } else if constexpr (std::is_integral_v<T>) {
    return {ColumnKind::integer};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {ColumnKind::real};
  } else if constexpr (std::is_same_v<T, std::vector<std::byte>>) {
    return {ColumnKind::blob};
  } else if constexpr (std::is_same_v<T, std::string> || std::is_enum_v<T> ||
                       reflect::TextLike<T>) {
    return {ColumnKind::text};
  } else if constexpr (reflect::detail::SequenceLike<T>) {
    return {sizeof(typename T::value_type) == 1 ? ColumnKind::blob : ColumnKind::array};
  } else if constexpr (reflect::detail::HasDescription<T>) {
    return {ColumnKind::json};
  } else {
    return {ColumnKind::unknown};
  }
}

constexpr bool fits(checked::ColumnKind column, checked::ColumnKind member) noexcept {
  using checked::ColumnKind;
  const bool is_number = member == ColumnKind::real || member == ColumnKind::boolean;
  const bool is_text =
      column != ColumnKind::boolean && column != ColumnKind::integer && column != ColumnKind::real;
  const bool is_of_json = member == ColumnKind::json || member == ColumnKind::array;
  return column == member || column == ColumnKind::unknown || member == ColumnKind::unknown ||
         (is_number && column == ColumnKind::integer) || (member == ColumnKind::text && is_text) ||
         (is_of_json && (column == ColumnKind::text || column == ColumnKind::json));
}

/// A name as the compiler tells it: of a template's argument.
template <std::size_t Bytes>
struct Named {
  char text[Bytes + 1] = {};

  consteval explicit Named(std::string_view name) {
    for (std::size_t i = 0; i < Bytes; ++i) {
      text[i] = name[i];
    }
  }
};

/// What says that a column does not fit, with its name.
struct Refusals {
  void (*may_be_null)();
  void (*is_of_another_type)();
  void (*has_no_member)();
};

template <std::size_t Index>
consteval Refusals refusals_of() {
  constexpr std::string_view kName = checked::kColumns[Index].name;
  constexpr Named<kName.size()> kColumn(kName);
  return {&the_column_may_be_null__read_it_into_an_optional<kColumn>,
          &the_column_is_of_another_type_than_the_member_of_its_name<kColumn>,
          &the_column_has_no_member_of_its_name<kColumn>};
}

template <std::size_t... Index>
consteval auto refusals_of_all(std::index_sequence<Index...> /*all*/) {
  return std::array<Refusals, sizeof...(Index)>{refusals_of<Index>()...};
}

/// Of each of kColumns. A template, so that they are made where rows are read alone.
template <class Void>
constexpr auto kRefusals =
    refusals_of_all(std::make_index_sequence<std::size(checked::kColumns)>());

template <class T>
constexpr void hold_column(std::size_t index, Taken member) {
  const checked::Column& column = checked::kColumns[index];
  if (!fits(column.kind, member.kind)) {
    kRefusals<std::void_t<T>>[index].is_of_another_type();
  }
  if (column.may_be_null && !member.is_optional) {
    kRefusals<std::void_t<T>>[index].may_be_null();
  }
}

// Which members have a default, as far as the compiler can tell: docs/howto/checked-sql.md.

template <class T>
constexpr bool can_begin() {
  [[maybe_unused]] T row;
  return true;
}

template <class T, std::size_t Index>
using MemberOfRow = std::remove_cv_t<reflect::detail::MemberType<T, Index>>;

template <class T, std::size_t Index>
constexpr MemberOfRow<T, Index>& member_of(T& row) {
  using reflect::detail::Count;
  return *reflect::detail::slot<Index>(
      reflect::detail::tie(row, Count<reflect::detail::count_members<T>()>()));
}

/// Is no constant where nobody has initialised the member.
template <class T, std::size_t Index>
constexpr bool reads_member() {
  T row;
  [[maybe_unused]] const MemberOfRow<T, Index> copy = member_of<T, Index>(row);
  return true;
}

template <class T, std::size_t Index>
constexpr bool is_empty_text() {
  T row;
  return member_of<T, Index>(row).empty();
}

/// False where it cannot be told: that is seen at run time.
template <class T, std::size_t Index>
constexpr bool is_required() {
  using Member = MemberOfRow<T, Index>;
  if constexpr (reflect::detail::OptionalLike<Member> ||
                !requires { typename std::bool_constant<can_begin<T>()>; }) {
    return false;
  } else if constexpr (std::is_trivially_default_constructible_v<Member>) {
    return !requires { typename std::bool_constant<reads_member<T, Index>()>; };
  } else if constexpr (std::is_same_v<Member, std::string> &&
                       requires { typename std::bool_constant<is_empty_text<T, Index>()>; }) {
    return is_empty_text<T, Index>();
  } else {
    return false;
  }
}

template <class T, std::size_t Index>
inline constexpr bool kIsRequired = is_required<T, Index>();

template <class T, std::size_t Index>
constexpr void hold_member(bool is_filled) {
  constexpr std::string_view kName = reflect::member_names<T>()[Index];
  if (kIsRequired<T, Index> && !is_filled) {
    the_member_has_no_column__select_it_or_give_it_a_default<Named<kName.size()>(kName)>();
  }
}

template <class T>
inline constexpr bool kIsRow =
    reflect::detail::PlainStruct<T> && !reflect::TextLike<T> && !reflect::detail::Bounded<T> &&
    !reflect::detail::OptionalLike<T> && !reflect::detail::SequenceLike<T> &&
    !reflect::detail::SelfDescribed<T>;

template <class T, std::size_t... Index>
consteval void hold_columns(checked::Statement statement, std::index_sequence<Index...> /*all*/) {
  constexpr auto kNames = reflect::member_names<T>();
  constexpr Taken kTaken[] = {taken_by<MemberOfRow<T, Index>>()...};
  bool is_filled[sizeof...(Index)] = {};
  for (std::size_t i = statement.first; i < statement.first + statement.count; ++i) {
    std::size_t member = 0;
    while (member < kNames.size() && kNames[member] != checked::kColumns[i].name) {
      ++member;
    }
    if (member == kNames.size()) {
      kRefusals<std::void_t<T>>[i].has_no_member();
    }
    hold_column<T>(i, kTaken[member]);
    is_filled[member] = true;
  }
  (hold_member<T, Index>(is_filled[Index]), ...);
}

template <class T>
consteval void hold_rows(checked::Statement statement) {
  if constexpr (std::is_void_v<T> || std::is_same_v<T, Row>) {
    return;
  } else if constexpr (kIsRow<T>) {
    hold_columns<T>(statement, std::make_index_sequence<reflect::detail::count_members<T>()>());
  } else {
    if (statement.count != 1) {
      a_single_value_is_read_from_one_column();
    }
    hold_column<T>(statement.first, taken_by<T>());
  }
}

template <class T>
consteval void hold_statement(const char* literal) {
  const std::uint64_t hash = checked::hash_of(literal);
  bool is_there = false;
  for (const checked::Statement& statement : checked::kStatements) {
    if (statement.hash == hash) {
      is_there = true;
      hold_rows<T>(statement);
    }
  }
  if (!is_there) {
    the_statement_is_not_in_the_lock_file__build_the_target_that_ends_with_sql_check();
  }
}

}  // namespace detail

/// The statement of a call that reads rows into T; void where it reads none.
template <class T, std::size_t Count>
class SqlFor : public SqlWith<Count> {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is to convert by itself
  consteval SqlFor(const char* literal) : SqlWith<Count>(literal) {
    detail::hold_statement<T>(literal);
  }
  // NOLINTNEXTLINE(google-explicit-constructor): as above
  consteval SqlFor(UncheckedSql sql) : SqlWith<Count>(sql) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as above
  SqlFor(const RuntimeSql& sql) noexcept : SqlWith<Count>(sql) {}
  /// Only for the message.
  template <class Text>
    requires std::convertible_to<const Text&, std::string_view>
  SqlFor(const Text& text) : SqlWith<Count>(text) {}  // NOLINT(google-explicit-constructor)
};

}  // namespace eider::db

#endif  // EIDER_CHECKED_SQL
