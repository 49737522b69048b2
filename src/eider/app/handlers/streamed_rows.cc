#include "eider/app/handlers/streamed_rows.h"

#include <stdexcept>
#include <vector>

#include "eider/core/json/read.h"
#include "eider/core/json/value.h"

namespace eider::detail::app {
namespace {

std::vector<std::string> names_of(const reflect::Type& row) {
  if (row.kind != reflect::Kind::kStruct) {
    throw std::invalid_argument("CSV rows must be structs, but " + std::string(row.name) +
                                " is not a struct");
  }
  std::vector<std::string> names;
  for (const reflect::Member& member : row.structure()) {
    names.emplace_back(member.name);
  }
  return names;
}

}  // namespace

CsvText::CsvText(const reflect::Type& row, json::CsvFormulas formulas)
    : row_(row), lines_(names_of(row), formulas) {}

std::string_view CsvText::line_of(const void* object) {
  line_.clear();
  if (!has_names_) {
    lines_.put_names(line_);
    has_names_ = true;
  }
  json_.clear();
  json::write(json_, row_, object);
  const auto value = json::read<json::Value>(json_.view());
  if (!value || !lines_.put(line_, *value)) {
    throw std::invalid_argument("a member of " + std::string(row_.name) +
                                " cannot be a CSV cell, because it is a list or an object");
  }
  return line_;
}

std::string_view CsvText::rest() {
  line_.clear();
  if (!has_names_) {
    lines_.put_names(line_);
  }
  return line_;
}

}  // namespace eider::detail::app
