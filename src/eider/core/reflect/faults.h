// What a struct finds wrong with its members as a whole, when it is asked to check itself.
// Must not be asked about members that could not be read: the check runs once all are there.
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

/// A struct with such a member function is asked wherever it is read, once nothing else is wrong
/// with it:
///
///     struct Stay {
///       std::chrono::year_month_day from, to;
///
///       void check(Faults& faults) const {
///         if (to < from) {
///           faults.add(to, "must not be before the first day");
///         }
///       }
///     };
class Faults {
 public:
  static constexpr std::size_t kMax = 32;

  /// object  of that struct; both have to outlive this
  Faults(const reflect::Structure& type, const void* object) noexcept
      : type_(type), object_(object) {}

  /// Something is wrong with the struct as a whole.
  void add(std::string text) { add_at({}, {{}, std::move(text)}); }
  /// … with a member, itself: of the struct, of a struct in it, or of one in a list of it. Of what
  /// is none of these, the struct as a whole is told of.
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
                  "eider: a fault is told of a member itself, not of a value that was made of it; "
                  "with the text alone it is told of the struct as a whole");
  }

  /// By JSON pointers from the struct on; at most kMax.
  [[nodiscard]] std::vector<FieldError>& found() noexcept { return found_; }

 private:
  [[nodiscard]] std::string pointer_to(const reflect::Type& type, const void* member) const;
  void add_at(std::string pointer, const Requirement& broken);

  const reflect::Structure& type_;
  const void* object_;
  std::vector<FieldError> found_;
};

}  // namespace eider
