// Collects the errors that a struct's check function finds.
// Layering: must not handle members that could not be read: the check runs only if all members are
// valid.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/core/reflect/rule.h"
#include "eider/core/reflect/type_of.h"

namespace eider {

/// Collects the errors of a struct. If a struct has such a member function, it is called whenever
/// the struct is read, after all members are valid:
///
///     struct Stay {
///       std::chrono::year_month_day from, to;
///
///       void check(ValidationErrors& errors) const {
///         if (to < from) {
///           errors.add(to, "must not be before the first day");
///         }
///       }
///     };
class ValidationErrors {
 public:
  static constexpr std::size_t kMax = 32;

  /// object  an object of that struct; both must outlive this object
  ValidationErrors(const reflect::Structure& type, const void* object) noexcept
      : type_(type), object_(object) {}

  /// Reports an error of the struct as a whole.
  void add(std::string text) { add_at({}, {{}, std::move(text)}); }
  /// Reports an error of a member: of the struct, of a struct in it, or of an element of a list in
  /// it. For any other object, the error is reported for the struct as a whole.
  template <class M>
  void add(const M& member, std::string text) {
    add(member, Requirement{{}, std::move(text)});
  }
  template <class M>
  void add(const M& member, const Requirement& requirement) {
    add_at(pointer_to(reflect::type_of<M>(), &member), requirement);
  }
  template <class M>
  void add(const M&& /*copy*/, std::string /*text*/) {
    static_assert(reflect::detail::kNever<M>,
                  "eider: pass the member itself to add(), not a value computed from the member; "
                  "to report an error of the whole struct, pass only the text");
  }

  /// Returns the errors, with JSON pointers relative to the struct; at most kMax.
  [[nodiscard]] std::vector<FieldError>& found() noexcept { return found_; }

 private:
  [[nodiscard]] std::string pointer_to(const reflect::Type& type, const void* member) const;
  void add_at(std::string pointer, const Requirement& broken);

  const reflect::Structure& type_;
  const void* object_;
  std::vector<FieldError> found_;
};

}  // namespace eider
