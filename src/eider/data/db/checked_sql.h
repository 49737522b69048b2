// Checks statements at compile time against the results of `eider db check`.
// Layering: must not have any effect without EIDER_CHECKED_SQL.
#pragma once

#ifdef EIDER_CHECKED_SQL

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

#include "eider/core/reflect/type_of.h"
#include "eider/data/db/checked_column.h"
#include "eider/data/db/checked_hash.h"
#include "eider/data/db/row.h"
#include "eider/data/db/sql.h"

namespace eider::db::checked {

/// The type of a column, as far as the database reports it. A value of `other` has the format of
/// the database, which is not JSON.
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

/// The columns of a statement: one entry for each database whose columns differ.
///
/// hash     of its text
/// columns  index of the first column among all, and their number
struct Statement {
  std::uint64_t hash;
  std::size_t first;
  std::size_t count;
};

}  // namespace eider::db::checked

#include EIDER_CHECKED_SQL  // kStatements, by their hashes, kColumns, kTableColumns

namespace eider::db {

namespace detail {

// Never defined: the compiler shows their names, with the name of the column, if it rejects a
// statement.
void the_statement_is_not_in_the_lock_file__build_the_target_that_ends_with_sql_check();
template <auto kColumn>
void the_column_may_be_null__read_it_into_an_optional();
template <auto kColumn>
void the_column_and_the_member_have_different_types();
template <auto kColumn>
void the_struct_has_no_member_for_the_column();
template <auto kMember>
void the_member_has_no_column__select_one_or_set_a_default();
void a_single_value_is_read_from_one_column();

/// The type that a member, or a single value, accepts.
struct Taken {
  checked::ColumnKind kind;
  bool is_optional = false;
};

template <class T>
consteval Taken taken_by() {
  using checked::ColumnKind;
  if constexpr (reflect::detail::OptionalLike<T>) {
    return {taken_by<typename T::value_type>().kind, true};
  } else if constexpr (reflect::detail::Constrained<T>) {
    return taken_by<typename T::ConstrainedValue>();
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

/// A name as a template argument, which the compiler shows.
template <std::size_t Bytes>
struct Named {
  char text[Bytes + 1] = {};

  consteval explicit Named(std::string_view name) {
    for (std::size_t i = 0; i < Bytes; ++i) {
      text[i] = name[i];
    }
  }
};

/// The functions whose names report that a column does not fit.
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
          &the_column_and_the_member_have_different_types<kColumn>,
          &the_struct_has_no_member_for_the_column<kColumn>};
}

template <std::size_t... Index>
consteval auto refusals_of_all(std::index_sequence<Index...> /*all*/) {
  return std::array<Refusals, sizeof...(Index)>{refusals_of<Index>()...};
}

/// Refusals of each of kColumns. A template, so that they are instantiated only if rows are read.
template <class Void>
constexpr auto kRefusals =
    refusals_of_all(std::make_index_sequence<std::size(checked::kColumns)>());

/// The reason why rows are rejected.
enum class RowFault : std::uint8_t {
  none,
  not_locked,
  not_one_column,
  column_without_member,
  column_may_be_null,
  column_of_other_type,
  member_without_column,
};

/// first  index of the statement's first column among all
/// place  index of the column within the statement, or of the member
struct RowRefusal {
  RowFault fault = RowFault::none;
  std::size_t first = 0;
  std::size_t place = 0;
};

constexpr RowFault fault_of_column(std::size_t index, Taken member) {
  const checked::Column& column = checked::kColumns[index];
  if (!fits(column.kind, member.kind)) {
    return RowFault::column_of_other_type;
  }
  return column.may_be_null && !member.is_optional ? RowFault::column_may_be_null : RowFault::none;
}

// Which members have a default, as far as the compiler can tell: docs/guides/data/checked-sql.md.

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

/// Not a constant expression if the member is not initialized.
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

/// Returns false if it is unknown; then it is checked at run time.
template <class T, std::size_t Index>
constexpr bool is_required() {
  using Member = MemberOfRow<T, Index>;
  if constexpr (reflect::detail::OptionalLike<Member> ||
                !requires { typename std::bool_constant<can_begin<T>()>; }) {
    return false;
  } else if constexpr (std::is_trivially_default_constructible_v<Member>) {
    return !requires { typename std::bool_constant<reads_member<T, Index>()>; };
  } else if constexpr (std::is_same_v<Member, std::string>) {
    // Separate, because `is_empty_text` must not be instantiated for a type without `empty`.
    if constexpr (requires { typename std::bool_constant<is_empty_text<T, Index>()>; }) {
      return is_empty_text<T, Index>();
    }
    return false;
  } else {
    return false;
  }
}

template <class T, std::size_t Index>
inline constexpr bool kIsRequired = is_required<T, Index>();

template <class T>
inline constexpr bool kIsRow =
    reflect::detail::PlainStruct<T> && !reflect::TextLike<T> && !reflect::detail::Constrained<T> &&
    !reflect::detail::OptionalLike<T> && !reflect::detail::SequenceLike<T> &&
    !reflect::detail::SelfDescribed<T>;

template <class T, std::size_t... Index>
constexpr RowRefusal refusal_of_columns(checked::Statement statement,
                                        std::index_sequence<Index...> /*all*/) {
  constexpr auto kNames = reflect::member_names<T>();
  constexpr Taken kTaken[] = {taken_by<MemberOfRow<T, Index>>()...};
  constexpr bool kRequired[] = {kIsRequired<T, Index>...};
  bool is_filled[sizeof...(Index)] = {};
  for (std::size_t column = 0; column < statement.count; ++column) {
    const std::string_view name = text_of(checked::kColumns[statement.first + column].name);
    std::size_t member = 0;
    while (member < kNames.size() && kNames[member] != name) {
      ++member;
    }
    if (member == kNames.size()) {
      return {RowFault::column_without_member, statement.first, column};
    }
    const RowFault fault = fault_of_column(statement.first + column, kTaken[member]);
    if (fault != RowFault::none) {
      return {fault, statement.first, column};
    }
    is_filled[member] = true;
  }
  for (std::size_t member = 0; member < sizeof...(Index); ++member) {
    if (kRequired[member] && !is_filled[member]) {
      return {RowFault::member_without_column, 0, member};
    }
  }
  return {};
}

template <class T>
constexpr RowRefusal refusal_of_rows(checked::Statement statement) {
  if constexpr (std::is_void_v<T> || std::is_same_v<T, Row>) {
    return {};
  } else if constexpr (kIsRow<T>) {
    return refusal_of_columns<T>(statement,
                                 std::make_index_sequence<reflect::detail::count_members<T>()>());
  } else if (statement.count != 1) {
    return {RowFault::not_one_column};
  } else {
    return {fault_of_column(statement.first, taken_by<T>()), statement.first};
  }
}

/// An unchecked statement is rejected only because of its text.
template <class T>
constexpr RowRefusal row_refusal_of(const UncheckedSql& /*sql*/) {
  return {};
}
template <class T, class Text>
constexpr RowRefusal row_refusal_of(const Text& /*text*/) {
  return {};
}
template <class T, SqlLiteral Text>
constexpr RowRefusal row_refusal_of(const Text& text) {
  const std::uint64_t hash = checked::hash_of(text_of(text));
  RowRefusal refusal{RowFault::not_locked};
  for (const checked::Statement& statement : checked::kStatements) {
    if (statement.hash == hash) {
      refusal = refusal_of_rows<T>(statement);
      if (refusal.fault != RowFault::none) {
        return refusal;
      }
    }
  }
  return refusal;
}

template <class T, class Text>
constexpr bool is_accepted(const Text& text, std::size_t values) {
  return refusal_of(text, values) == SqlRefusal::none &&
         row_refusal_of<T>(text).fault == RowFault::none;
}

/// number  of the column or member, from 1; 0: any
template <class T, class Text>
constexpr bool is_refused(const Text& text, RowFault fault, std::size_t number) {
  const RowRefusal refusal = row_refusal_of<T>(text);
  return refusal.fault == fault && (number == 0 || refusal.place + 1 == number);
}

template <class T, std::size_t Index>
constexpr void refuse_member() {
  constexpr std::string_view kName = reflect::member_names<T>()[Index];
  the_member_has_no_column__select_one_or_set_a_default<Named<kName.size()>(kName)>();
}

template <class T>
constexpr void refuse_member(std::size_t member) {
  if constexpr (kIsRow<T>) {
    [&]<std::size_t... Index>(std::index_sequence<Index...> /*all*/) {
      ((Index == member ? refuse_member<T, Index>() : void()), ...);
    }(std::make_index_sequence<reflect::detail::count_members<T>()>());
  }
}

template <class T>
constexpr void refuse(RowRefusal refusal) {
  const std::size_t column = refusal.first + refusal.place;
  switch (refusal.fault) {
    case RowFault::none:
      return;
    case RowFault::not_locked:
      return the_statement_is_not_in_the_lock_file__build_the_target_that_ends_with_sql_check();
    case RowFault::not_one_column:
      return a_single_value_is_read_from_one_column();
    case RowFault::column_without_member:
      return kRefusals<std::void_t<T>>[column].has_no_member();
    case RowFault::column_may_be_null:
      return kRefusals<std::void_t<T>>[column].may_be_null();
    case RowFault::column_of_other_type:
      return kRefusals<std::void_t<T>>[column].is_of_another_type();
    case RowFault::member_without_column:
      return refuse_member<T>(refusal.place);
  }
}

}  // namespace detail

// A message of EIDER_REFUSES is a literal, so it contains the place of a column or member, not its
// name.
// clang-format off
#define EIDER_REFUSES_AT(number, fault, what, reason)                                             \
  EIDER_REFUSES_WITH((detail::is_refused<T>(text, detail::RowFault::fault, number)),              \
                     #reason " (" #what " " #number ")")
#define EIDER_REFUSES_EACH(fault, what, reason)                                                   \
  EIDER_REFUSES_AT(1, fault, what, reason) EIDER_REFUSES_AT(2, fault, what, reason)               \
  EIDER_REFUSES_AT(3, fault, what, reason) EIDER_REFUSES_AT(4, fault, what, reason)               \
  EIDER_REFUSES_AT(5, fault, what, reason) EIDER_REFUSES_AT(6, fault, what, reason)               \
  EIDER_REFUSES_AT(7, fault, what, reason) EIDER_REFUSES_AT(8, fault, what, reason)               \
  EIDER_REFUSES((detail::is_refused<T>(text, detail::RowFault::fault, 0)), reason)
#define EIDER_REFUSES_ROWS                                                                        \
  EIDER_REFUSES((detail::is_refused<T>(text, detail::RowFault::not_locked, 0)),                   \
      the_statement_is_not_in_the_lock_file__build_the_target_that_ends_with_sql_check)           \
  EIDER_REFUSES((detail::is_refused<T>(text, detail::RowFault::not_one_column, 0)),               \
      a_single_value_is_read_from_one_column)                                                     \
  EIDER_REFUSES_EACH(column_without_member, column, the_struct_has_no_member_for_the_column)      \
  EIDER_REFUSES_EACH(column_may_be_null, column,                                                  \
      the_column_may_be_null__read_it_into_an_optional)                                           \
  EIDER_REFUSES_EACH(column_of_other_type, column,                                                \
      the_column_and_the_member_have_different_types)                                             \
  EIDER_REFUSES_EACH(member_without_column, member,                                               \
      the_member_has_no_column__select_one_or_set_a_default)
// clang-format on

/// The statement of a call that reads rows into T; void if it reads no rows.
template <class T, std::size_t Count>
class SqlFor : public SqlWith<Count> {
 public:
  template <detail::SqlLiteral Text>
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is to convert by itself
  consteval SqlFor(const Text& text) EIDER_ACCEPTS((detail::is_accepted<T>(text, Count)))
      : SqlWith<Count>(detail::joined_of(text), typename SqlWith<Count>::Accepted()) {
    if constexpr (!eider::detail::base::kIsRefusedByAttribute) {
      detail::refuse(detail::refusal_of(text, Count));
      detail::refuse<T>(detail::row_refusal_of<T>(text));
    }
  }
  /// See SqlWith.
  consteval SqlFor(const char* first, const char* second, const char* third = nullptr,
                   const char* fourth = nullptr)
      EIDER_ACCEPTS((detail::is_accepted<T>(JoinedSql{{first, second, third, fourth}}, Count)))
      : SqlWith<Count>(JoinedSql{{first, second, third, fourth}},
                       typename SqlWith<Count>::Accepted()) {
    if constexpr (!eider::detail::base::kIsRefusedByAttribute) {
      detail::refuse(detail::refusal_of(JoinedSql{{first, second, third, fourth}}, Count));
      detail::refuse<T>(detail::row_refusal_of<T>(JoinedSql{{first, second, third, fourth}}));
    }
  }
  // NOLINTNEXTLINE(google-explicit-constructor): as above; checked when it is run
  SqlFor(const RuntimeSql& sql) noexcept : SqlWith<Count>(sql) {}
  /// Only for the message, as in SqlWith.
  template <detail::SqlOrText Text>
  SqlFor(const Text& text)  // NOLINT(google-explicit-constructor): as above
      EIDER_REFUSES_SQL(text, Count) EIDER_REFUSES_ROWS EIDER_REFUSES_NO_LITERAL(text) {
    static_assert(eider::detail::base::kIsRefusedByAttribute || Count > kSqlParametersMax,
                  EIDER_NO_LITERAL);
  }
  template <detail::SqlVariable Text>
  // NOLINTNEXTLINE(google-explicit-constructor): as above
  SqlFor(Text& text) EIDER_REFUSES_NO_LITERAL(text) {
    static_assert(eider::detail::base::kIsRefusedByAttribute || Count > kSqlParametersMax,
                  EIDER_NO_LITERAL);
  }
};

}  // namespace eider::db

#endif  // EIDER_CHECKED_SQL
