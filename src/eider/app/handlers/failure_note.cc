#include "eider/app/handlers/failure_note.h"

#include <cxxabi.h>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <typeinfo>

namespace eider {

namespace {

/// Maximum number of nested exceptions that are shown.
constexpr std::size_t kThrownMax = 8;

std::string type_text(const std::type_info* type) {
  if (type == nullptr) {
    return "something";
  }
  int status = 0;
  char* const text = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  std::string copy(text == nullptr ? type->name() : text);
  std::free(text);  // NOLINT(cppcoreguidelines-no-malloc): required by __cxa_demangle
  return copy;
}

/// Adds the current exception, and those nested in it.
void note(std::vector<Thrown>& all) {
  try {
    throw;
  } catch (const std::exception& exception) {
    all.push_back({type_text(&typeid(exception)), exception.what()});
    const auto* const nested = dynamic_cast<const std::nested_exception*>(&exception);
    if (nested == nullptr || nested->nested_ptr() == nullptr || all.size() == kThrownMax) {
      return;
    }
    try {
      nested->rethrow_nested();
    } catch (...) {
      note(all);
    }
  } catch (...) {
    all.push_back({type_text(abi::__cxa_current_exception_type()), ""});
  }
}

}  // namespace

void FailureNote::take(const std::source_location& where) const {
  failure_->thrown.clear();
  note(failure_->thrown);
  const std::string_view file = where.file_name();
  if (where.line() != 0) {
    failure_->where.assign(file.substr(file.rfind('/') + 1))
        .append(":")
        .append(std::to_string(where.line()));
  }
}

}  // namespace eider
