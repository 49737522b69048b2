#include "eider/web/views/filter_set.h"

#include <utility>

#include "eider/web/views/filter_names.h"

namespace eider::views {

namespace {

using reflect::Kind;

bool is_text(Kind kind) {
  return kind == Kind::kString || kind == Kind::kView || kind == Kind::kChars;
}

bool is_integer(Kind kind) {
  return kind == Kind::kSigned || kind == Kind::kUnsigned;
}

}  // namespace

bool can_be_given(const reflect::Type& given, const reflect::Type& wanted) noexcept {
  if (&given == &wanted) {
    return true;
  }
  if (given.kind == Kind::kOptional) {
    return false;
  }
  const Kind kind = reflect::without_rules(given).kind;
  return (is_text(kind) && is_text(wanted.kind)) || (is_integer(kind) && is_integer(wanted.kind)) ||
         ((is_integer(kind) || kind == Kind::kReal) && wanted.kind == Kind::kReal);
}

void FilterSet::put(std::string name, Filter filter) {
  filters_[std::move(name)] = std::move(filter);
}

const Filter* FilterSet::find(std::string_view name) const noexcept {
  const auto found = filters_.find(name);
  return found == filters_.end() ? nullptr : &found->second;
}

std::vector<std::string> FilterSet::names() const {
  std::vector<std::string> names;
  for (const FilterName& filter : kFilterNames) {
    names.emplace_back(filter.name);
  }
  for (const auto& [name, filter] : filters_) {
    names.push_back(name);
  }
  return names;
}

}  // namespace eider::views
