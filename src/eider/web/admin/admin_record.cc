#include "eider/web/admin/admin_record.h"

#include <algorithm>
#include <new>

#include "eider/core/base/shortened.h"
#include "eider/core/base/token.h"
#include "eider/core/base/utf8.h"
#include "eider/core/json/read.h"
#include "eider/core/json/write.h"
#include "eider/core/reflect/text.h"
#include "eider/data/db/failure.h"
#include "eider/data/db/store.h"

namespace eider::detail::admin {

namespace {

using reflect::Kind;

db::Cell cell_of(const db::Value& value) {
  db::Cell cell{.kind = value.kind(),
                .integer = value.integer().value_or(0),
                .real = value.real().value_or(0)};
  if (value.text() != nullptr) {
    cell.bytes = *value.text();
  } else if (value.blob() != nullptr) {
    cell.bytes = {reinterpret_cast<const char*>(value.blob()->data()), value.blob()->size()};
  }
  return cell;
}

bool store(const reflect::Type& type, void* into, const db::Value& value) {
  db::CellList list;
  db::Cell cell = cell_of(value);
  if (value.elements() != nullptr) {
    for (const db::Value& element : *value.elements()) {
      list.elements.push_back(cell_of(element));
    }
    cell.list = &list;
  }
  return db::store_cell(type, into, cell).empty();
}

std::string text_at(const reflect::Type& type, const void* value) {
  const views::Ref held = views::held({&type, value});
  if (held.at == nullptr) {
    return {};
  }
  return views::is_shown(*held.type) ? views::shown(held) : json::to_text(*held.type, held.at);
}

}  // namespace

void DestroyObject::operator()(void* object) const noexcept {
  type->structure().destroy(object);
  ::operator delete(object);
}

Object make_object(const reflect::Type& type) {
  void* const memory = ::operator new(type.bytes);
  try {
    type.structure().construct(memory);
  } catch (...) {
    ::operator delete(memory);
    throw;
  }
  return {memory, DestroyObject{&type}};
}

Record::Record(const Resource& resource, std::span<const std::size_t> columns, const db::Row& row)
    : resource_(&resource), object_(make_object(*resource.row)), cells_(resource.columns.size()) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Cell& cell = cells_[columns[i]];
    const reflect::Member& member = *resource.columns[columns[i]].member;
    cell.value = row[i];
    cell.is_read = true;
    cell.fits = store(*member.type, member.in(object_.get()), cell.value);
  }
}

std::string Record::plain_text(std::size_t column) const {
  const Cell& cell = cells_[column];
  const reflect::Member& member = *resource_->columns[column].member;
  return cell.fits ? text_at(*member.type, member.in(object_.get())) : raw_text(cell.value);
}

std::string Record::text(std::size_t column) const {
  const Cell& cell = cells_[column];
  const reflect::Member& member = *resource_->columns[column].member;
  const views::Ref held = views::held({member.type, member.in(object_.get())});
  return cell.fits && held.at != nullptr ? value_text(held) : plain_text(column);
}

std::string Record::label() const {
  const std::string text = plain_text(resource_->label);
  constexpr std::size_t kLabelBytesMax = 200;
  return resource_->label == resource_->key || text.empty() ? resource_->singular + " " + key()
                                                            : base::shortened(text, kLabelBytesMax);
}

json::Value Record::json(std::size_t column) const {
  const db::Value& value = cells_[column].value;
  if (value.is_null()) {
    return nullptr;
  }
  switch (views::held_type(*resource_->columns[column].member->type).kind) {
    case Kind::kSigned:
    case Kind::kUnsigned:
      return value.integer() ? json::Value(*value.integer()) : json::Value(plain_text(column));
    case Kind::kReal:
      return value.real() ? json::Value(*value.real()) : json::Value(plain_text(column));
    default:
      return plain_text(column);
  }
}

const db::Value& Record::value(std::size_t column) const {
  return cells_[column].value;
}

void Record::add_digest(std::string& all, const Cell& cell) {
  const std::string text = cell.is_read ? raw_text(cell.value) : "";
  all += std::to_string(static_cast<int>(cell.value.kind())) + ":" + std::to_string(text.size()) +
         ":" + text;
}

std::string Record::digest(const forms::detail::FormShape& shape) const {
  std::string all;
  for (const forms::detail::ShapeField& field : shape.fields) {
    add_digest(all, cells_[*resource_->find(field.name)]);
  }
  return sha256_hex(all);
}

std::string Record::digest() const {
  std::string all;
  for (const Cell& cell : cells_) {
    add_digest(all, cell);
  }
  return sha256_hex(all);
}

std::vector<FieldError> Record::fill(const forms::detail::FormShape& shape, void* object) const {
  std::vector<FieldError> errors;
  for (const forms::detail::ShapeField& field : shape.fields) {
    const Cell& cell = cells_[*resource_->find(field.name)];
    if (cell.is_read &&
        !store(*field.type, static_cast<char*>(object) + field.offset, cell.value)) {
      errors.push_back({field.pointer, "The database contains a value that is not valid here: " +
                                           base::shortened(raw_text(cell.value), 200)});
    }
  }
  return errors;
}

void Record::fill_all(const reflect::Type& form, void* object) const {
  for (const reflect::Member& member : form.structure()) {
    const auto column = resource_->find(member.name);
    if (column && cells_[*column].is_read) {
      (void)store(*member.type, member.in(object), cells_[*column].value);
    }
  }
}

std::optional<db::Value> value_of_text(const Column& column, std::string_view text) {
  const reflect::Type& type = views::held_type(*column.member->type);
  if (!reflect::is_text_type(type) || !is_utf8(text) || text.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  // The member of a new object is read and converted as the record's own.
  const reflect::Member& member = *column.member;
  const Object object = make_object(*column.row);
  void* const at = member.in(object.get());
  if (!reflect::read_text(*member.type, at, text)) {
    return std::nullopt;
  }
  try {
    return db::value_of(*member.type, at);
  } catch (const db::Failure&) {  // a number that no column can store
    return std::nullopt;
  }
}

std::optional<db::Value> key_value(const Resource& resource, std::string_view text) {
  if (text.empty() || text.size() > kKeyBytesMax) {
    return std::nullopt;
  }
  return value_of_text(resource.key_column(), text);
}

std::optional<std::string> normal_key(const Resource& resource, std::string_view text) {
  const auto value = key_value(resource, text);
  if (!value) {
    return std::nullopt;
  }
  const reflect::Member& member = *resource.key_column().member;
  const Object object = make_object(*resource.key_column().row);
  void* const at = member.in(object.get());
  return store(*member.type, at, *value) ? text_at(*member.type, at) : raw_text(*value);
}

std::string value_text(const views::Ref& value) {
  if (value.type->kind == Kind::kBool) {
    return *static_cast<const bool*>(value.at) ? "Yes" : "No";
  }
  return text_at(*value.type, value.at);
}

std::string raw_text(const db::Value& value) {
  switch (value.kind()) {
    case db::Value::Kind::integer:
      return std::to_string(*value.integer());
    case db::Value::Kind::real:
      return json::to_text(*value.real());
    case db::Value::Kind::text:
      return *value.text();
    case db::Value::Kind::blob:
      return std::to_string(value.blob()->size()) + " bytes";
    default:
      return {};
  }
}

db::Value field_value(const forms::detail::ShapeField& field, const void* object) {
  return db::value_of(*field.type, static_cast<const char*>(object) + field.offset);
}

void set_field_value(const forms::detail::ShapeField& field, void* object, const db::Value& value) {
  (void)store(*field.type, static_cast<char*>(object) + field.offset, value);
}

}  // namespace eider::detail::admin
