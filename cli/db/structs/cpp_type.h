// The C++ type of a column, its validation rule and its default.
// Layering: must not read a database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/db/structs/schema.h"

namespace eider::structs {

/// Determines which rules and defaults a type supports.
enum class TypeKind : std::uint8_t { boolean, integer, real, text, other };

/// name  "std::int64_t", "std::string"
struct CppType {
  std::string name;
  TypeKind kind = TypeKind::other;
};

/// The type of a column that can hold all its values; without labels and std::optional.
[[nodiscard]] CppType cpp_type_of(const Column& column, db::Dialect dialect);

/// The type with the rule for input: "Sized<std::string, 1, 200>". The type itself if the column
/// has no limits, or its kind has no such rule.
[[nodiscard]] std::string with_rule(const CppType& type, const Column& column);

/// The C++ initializer for a default that is a literal: "0", "\"x\"". Empty for other defaults,
/// such as now(), for types without literals, and if the value violates the limits of the column.
[[nodiscard]] std::string initializer_of(const CppType& type, const Column& column);

/// The text of a default that is a text literal: 'open', 'open'::state. Nothing for others.
[[nodiscard]] std::optional<std::string> text_default(std::string_view default_sql);

/// The value of a default that is any literal: 5, true, 'open'::state, (-1), x'00'. Nothing for
/// expressions, which only the database can compute.
[[nodiscard]] std::optional<std::string> literal_default(std::string_view default_sql);

/// The headers of the standard library that these types need, as include lines.
[[nodiscard]] std::string includes_of(std::string_view source);

}  // namespace eider::structs
