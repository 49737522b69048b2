#include "eider/data/db/store.h"

#include <cmath>

#include "eider/core/base/digits.h"
#include "eider/core/base/utf8.h"
#include "eider/core/json/read.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/scalar.h"
#include "eider/core/reflect/text.h"
#include "eider/data/db/misfits.h"

namespace eider::db {
namespace {

using reflect::Kind;
using reflect::Type;
using CellKind = Value::Kind;

/// Integers up to here are exact in a double.
constexpr double kExactMax = 9007199254740992.0;

bool store_bool(void* object, const Cell& cell) {
  if (cell.kind != CellKind::integer || (cell.integer != 0 && cell.integer != 1)) {
    return false;
  }
  *static_cast<bool*>(object) = cell.integer == 1;
  return true;
}

bool store_integer(const Type& type, void* object, const Cell& cell) {
  // Some databases return a sum of integers as a real.
  if (cell.kind == CellKind::real && std::nearbyint(cell.real) == cell.real &&
      std::abs(cell.real) <= kExactMax) {
    return reflect::try_store_signed(type, object, static_cast<std::int64_t>(cell.real));
  }
  return cell.kind == CellKind::integer && reflect::try_store_signed(type, object, cell.integer);
}

bool store_real(const Type& type, void* object, const Cell& cell) {
  if (cell.kind != CellKind::real && cell.kind != CellKind::integer) {
    return false;
  }
  const double number = cell.kind == CellKind::real ? cell.real : static_cast<double>(cell.integer);
  if (type.bytes == sizeof(float)) {
    *static_cast<float*>(object) = static_cast<float>(number);
  } else {
    *static_cast<double*>(object) = number;
  }
  return true;
}

bool store_text(void* object, const Cell& cell) {
  if (cell.kind != CellKind::text && cell.kind != CellKind::blob) {
    return false;
  }
  *static_cast<std::string*>(object) = cell.bytes;
  return true;
}

bool store_enum(const Type& type, void* object, const Cell& cell) {
  const reflect::Enumerator* enumerator =
      cell.kind == CellKind::text ? type.enumeration().find(cell.bytes) : nullptr;
  return enumerator != nullptr && reflect::try_store_signed(type, object, enumerator->value);
}

bool store_bytes(const Type& type, void* object, const Cell& cell) {
  if (cell.kind != CellKind::blob) {
    return false;
  }
  if (type.kind == Kind::kText) {
    const auto* begin = reinterpret_cast<const std::byte*>(cell.bytes.data());
    static_cast<Blob*>(object)->assign(begin, begin + cell.bytes.size());
    return true;
  }
  const reflect::Sequence& sequence = type.sequence();
  sequence.clear(object);
  for (const char byte : cell.bytes) {
    *static_cast<char*>(sequence.append(object)) = byte;
  }
  return true;
}

/// Returns the text of a number; empty for other cells.
std::string number_text(const Cell& cell) {
  if (cell.kind == CellKind::integer) {
    return digits_of(cell.integer);
  }
  return cell.kind == CellKind::real && std::isfinite(cell.real) ? digits_of(cell.real)
                                                                 : std::string();
}

/// Reads JSON that `value_of` has written or SQL has created: json_group_array, json_object. In a
/// column with the type "json", SQLite stores the text of a number as a number.
bool store_json(const Type& type, void* object, const Cell& cell) {
  if (cell.kind == CellKind::text) {
    return json::read_into(type, object, cell.bytes).has_value();
  }
  const std::string number = number_text(cell);
  return !number.empty() && json::read_into(type, object, number).has_value();
}

/// Reads a duration in the database's own format.
bool store_interval(const Type& type, void* object, std::string_view text) {
  const std::string_view format = type.text().schema->format;
  const auto iso =
      format == "duration" || format == "precise-duration" ? iso_of_interval(text) : std::nullopt;
  return iso && type.text().read(object, *iso);
}

/// Reads a decimal of a column with a larger scale, which fills it up with zeros:
/// "999999999999999999.0000" of a numeric(30, 4).
bool store_decimal(const Type& type, void* object, std::string_view text) {
  if (type.text().schema->format != "decimal" || !text.contains('.') || !text.ends_with('0')) {
    return false;
  }
  text = text.substr(0, text.find_last_not_of('0') + 1);
  text.remove_suffix(text.ends_with('.') ? 1 : 0);
  return type.text().read(object, text);
}

/// Reads a member from text or bytes. A separate function, so that plain numbers do not need its
/// stack frame.
[[gnu::noinline]] bool store_read(const Type& type, void* object, const Cell& cell) {
  if (type.kind == Kind::kEnum) {
    return store_enum(type, object, cell);
  }
  // Enums of one byte were once stored as a blob.
  if (is_blob(type) || (type.kind == Kind::kSequence && cell.kind == CellKind::blob &&
                        type.sequence().element->bytes == 1)) {
    return store_bytes(type, object, cell);
  }
  if (type.kind == Kind::kText) {
    return cell.kind == CellKind::text && is_utf8(cell.bytes) &&
           (type.text().read(object, cell.bytes) || store_interval(type, object, cell.bytes) ||
            store_decimal(type, object, cell.bytes));
  }
  return store_json(type, object, cell);
}

bool store_scalar(const Type& type, void* object, const Cell& cell) {
  switch (type.kind) {
    case Kind::kBool:
      return store_bool(object, cell);
    case Kind::kSigned:
    case Kind::kUnsigned:
      return store_integer(type, object, cell);
    case Kind::kReal:
      return store_real(type, object, cell);
    case Kind::kString:
      return store_text(object, cell);
    case Kind::kEnum:
    case Kind::kText:
    case Kind::kSequence:
    case Kind::kStruct:
    case Kind::kArray:
    case Kind::kMap:
    case Kind::kVariant:
    case Kind::kDynamic:
    case Kind::kSet:
      return store_read(type, object, cell);
    case Kind::kView:
    case Kind::kChars:
    case Kind::kOptional:
    case Kind::kConstrained:
      break;
  }
  return false;
}

/// returns  the first error
std::string store_list(const Type& type, void* object, const CellList& list) {
  const reflect::Sequence& sequence = type.sequence();
  sequence.clear(object);
  for (const Cell& cell : list.elements) {
    const std::string fault = store_cell(*sequence.element, sequence.append(object), cell);
    if (!fault.empty()) {
      return "has an element that " + fault + ", but is " + std::string(to_text(cell.kind));
    }
  }
  return {};
}

std::string describe(const Type& type) {
  if (is_blob(type)) {
    return "must be a blob";
  }
  return reflect::is_text_type(type) ? to_text(reflect::requirement(type))
                                     : "must be text with JSON of this type";
}

std::string store_optional(const Type& type, void* object, const Cell& cell) {
  if (cell.kind == CellKind::null) {
    type.optional().set_null(object);
    return {};
  }
  return store_cell(*type.optional().value, type.optional().emplace(object), cell);
}

std::string store_constrained(const Type& type, void* object, const Cell& cell) {
  const reflect::Constraint& constraint = type.constraint();
  std::string fault = store_cell(*constraint.value, object, cell);
  if (fault.empty()) {
    fault = to_text(reflect::broken_requirements(constraint, object));
  }
  return fault;
}

bool is_list(const Type& type, const Cell& cell) {
  return cell.list != nullptr && type.kind == Kind::kSequence && !is_blob(type);
}

[[gnu::noinline]] std::string store_other(const Type& type, void* object, const Cell& cell) {
  if (type.kind == Kind::kOptional) {
    return store_optional(type, object, cell);
  }
  if (type.kind == Kind::kConstrained) {
    return store_constrained(type, object, cell);
  }
  if (is_list(type, cell)) {
    return store_list(type, object, *cell.list);
  }
  const bool needs_optional = cell.kind == CellKind::null;
  return describe(type) + (needs_optional ? " (a std::optional may be NULL)" : "");
}

}  // namespace

std::string store_cell(const Type& type, void* object, const Cell& cell) {
  return !is_list(type, cell) && store_scalar(type, object, cell) ? std::string()
                                                                  : store_other(type, object, cell);
}

}  // namespace eider::db
