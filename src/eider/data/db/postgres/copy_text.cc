#include "eider/data/db/postgres/copy_text.h"

#include <algorithm>
#include <cstdint>

#include "eider/core/base/digits.h"
#include "eider/core/base/text.h"
#include "eider/core/reflect/scalar.h"
#include "eider/data/db/column_names.h"
#include "eider/data/db/failure.h"
#include "eider/data/db/postgres/array_codec.h"
#include "eider/data/db/statement_text.h"
#include "eider/data/db/value.h"

namespace eider::db::postgres {
namespace {

using reflect::Kind;

/// Returns the escape letter for a byte that would end a value or a line, or 0 for other bytes.
constexpr char escape_of(char byte) noexcept {
  switch (byte) {
    case '\\':
      return '\\';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return '\0';
  }
}

void append_text(std::string& text, std::string_view bytes) {
  const auto is_special = [](char byte) { return byte == '\0' || escape_of(byte) != '\0'; };
  while (true) {
    const auto* const special = std::ranges::find_if(bytes, is_special);
    const auto plain = static_cast<std::size_t>(special - bytes.begin());
    text.append(bytes.substr(0, plain));
    if (special == bytes.end()) {
      return;
    }
    if (*special == '\0') {
      throw failure_of_nul(std::string(bytes));
    }
    text.append({'\\', escape_of(*special)});
    bytes.remove_prefix(plain + 1);
  }
}

/// Adds a value as for a statement whose types the server determines.
void append_parameter(std::string& text, const Value& value, Parameters& parameters) {
  parameters.clear(1);
  parameters.add({&value, 1}, {});
  append_text(text, {parameters.values()[0], static_cast<std::size_t>(parameters.lengths()[0])});
}

void append_value(std::string& text, const Value& value, Parameters& parameters) {
  switch (value.kind()) {
    case Value::Kind::null:
      text.append("\\N");
      break;
    case Value::Kind::integer:
      text.append(Digits(*value.integer()).view());
      break;
    case Value::Kind::real:
    case Value::Kind::text:
      append_parameter(text, value, parameters);
      break;
    case Value::Kind::blob: {
      const Blob& blob = *value.blob();
      append_text(text, hex_of({reinterpret_cast<const char*>(blob.data()), blob.size()}));
      break;
    }
  }
}

const reflect::Type& inner(const reflect::Type& type) noexcept {
  if (type.kind == Kind::kOptional) {
    return inner(*type.optional().value);
  }
  return type.kind == Kind::kConstrained ? inner(*type.constraint().value) : type;
}

/// Frequent types are added without creating a Value.
void append_member(std::string& text, const reflect::Type& type, const void* object, bool is_array,
                   Parameters& parameters) {
  if (type.kind == Kind::kString) {
    append_text(text, *static_cast<const std::string*>(object));
  } else if (type.kind == Kind::kSigned) {
    text.append(Digits(reflect::load_signed(type, object)).view());
  } else if (type.kind == Kind::kConstrained) {
    append_member(text, *type.constraint().value, object, is_array, parameters);
  } else {
    Value value = value_of(type, object);
    if (is_array && value.kind() != Value::Kind::null) {
      value.set_array();
    }
    append_value(text, value, parameters);
  }
}

}  // namespace

void seal_copy_message(std::string& messages, std::size_t at) noexcept {
  const auto bytes = static_cast<std::uint32_t>(messages.size() - at - 1);
  messages[at] = 'd';
  for (std::size_t i = 0; i < sizeof bytes; ++i) {
    messages[at + 1 + i] = static_cast<char>((bytes >> (24U - 8U * i)) & 0xFFU);
  }
}

CopyText::CopyText(const reflect::Type& row) : row_(row), is_array_(row.structure().count) {}

std::string CopyText::columns() const {
  std::string names;
  for (const reflect::Member& member : row_.structure()) {
    if (!detail::is_name(member.name)) {
      throw Failure(FailureKind::statement,
                    "there is no column for the member " + std::string(member.name));
    }
    names += names.empty() ? "" : ", ";
    names += detail::column_sql(member.name);
  }
  return names;
}

bool CopyText::has_lists() const noexcept {
  const auto is_list = [](const reflect::Member& member) {
    const reflect::Type& type = inner(*member.type);
    return type.kind == Kind::kSequence && !is_blob(type);
  };
  return std::ranges::any_of(row_.structure(), is_list);
}

void CopyText::set_arrays(const std::vector<std::string>& columns) {
  std::size_t i = 0;
  for (const reflect::Member& member : row_.structure()) {
    // Column names of the server are in lower case.
    const auto is_it = [name = detail::column_name(member.name)](const std::string& column) {
      return equals_ignoring_case(column, name);
    };
    is_array_[i++] = std::ranges::any_of(columns, is_it);
  }
}

void CopyText::append(std::string& text, const void* object) {
  const std::size_t before = text.size();
  try {
    std::size_t i = 0;
    for (const reflect::Member& member : row_.structure()) {
      if (i != 0) {
        text.push_back('\t');
      }
      append_member(text, *member.type, member.in(object), is_array_[i++], parameters_);
    }
    text.push_back('\n');
  } catch (...) {
    text.resize(before);
    throw;
  }
}

}  // namespace eider::db::postgres
