// A request body that may still be invalid, for a handler that adds its own validation errors.
// Layering: must not run checks that wait; the handler does.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/handlers/extract.h"
#include "eider/app/handlers/params.h"
#include "eider/core/reflect/validation_errors.h"

namespace eider {

namespace detail::app {

/// Returns whether an error is at `pointer`, in it or around it.
[[nodiscard]] bool has_fault_at(const std::vector<FieldError>& faults, std::string_view pointer);

/// Reads the contents of a input.
template <class Content>
struct UnvalidatedOf {
  static_assert(sizeof(Content) == 0,
                "eider: Unvalidated needs the type of a request body: Unvalidated<Json<T>> or "
                "Unvalidated<Form<T>>");
};

template <class T>
struct UnvalidatedOf<Json<T>> {
  using Value = T;
  static constexpr bool kIsForm = false;

  static Result<void> read(const Request& request, T& value) {
    static_assert(
        reflect::kIsReadable<T>,
        "eider: a struct with std::string_view members cannot be read: use std::string instead");
    Result<void> typed = expect_content_type(request, "application/json");
    return typed ? json::read_into(reflect::type_of<T>(), &value, request.body()) : typed;
  }
};

template <class T>
struct UnvalidatedOf<Form<T>> {
  using Value = T;
  static constexpr bool kIsForm = true;

  static Result<void> read(const Request& request, T& value) {
    Result<void> typed = expect_content_type(request, "application/x-www-form-urlencoded");
    return typed ? read_form(reflect::type_of<T>(), &value, request) : typed;
  }
};

/// The error of a member of the object.
///
/// IsForm  it is named as "address/street"; else with a JSON pointer
template <bool IsForm, class T, class M>
[[nodiscard]] FieldError member_error(const T& object, const M& member, const Requirement& broken) {
  ValidationErrors errors(reflect::type_of<T>().structure(), &object);
  errors.add(member, broken);
  FieldError error = std::move(errors.found().front());
  if (IsForm) {
    error.pointer.erase(0, 1);
  }
  return error;
}

/// A T that was read, with its validation errors.
///
/// IsForm  errors name members as "address/street"; else with JSON pointers
template <class T, bool IsForm>
class Judged {
 public:
  const T& operator*() const noexcept { return value_; }
  const T* operator->() const noexcept { return &value_; }

  /// Returns whether there are no errors so far.
  [[nodiscard]] bool is_valid() const noexcept { return faults_.empty(); }
  /// Returns whether a member has no errors. False for all if there are too many errors to list.
  template <class M>
  [[nodiscard]] bool is_valid(const M& member) const {
    return faults_.size() < ValidationErrors::kMax &&
           !has_fault_at(faults_, member_error<IsForm>(value_, member, {}).pointer);
  }
  template <class M>
  void add(const M& member, std::string text) {
    add(member, Requirement{{}, std::move(text)});
  }
  template <class M>
  void add(const M& member, const Requirement& broken) {
    add_fault(member_error<IsForm>(value_, member, broken));
  }
  /// Adds an error for the whole value.
  void add(std::string text) { add_fault({"", std::move(text)}); }

 protected:
  void add_fault(FieldError fault) {
    if (faults_.size() < ValidationErrors::kMax) {
      faults_.push_back(std::move(fault));
    }
  }

  T value_{};
  std::vector<FieldError> faults_;
};

}  // namespace detail::app

/// A request body like Json<T> or Form<T>, but the handler runs even if it is invalid:
///
///     Task<Result<Created<User>>> add(Unvalidated<Json<NewUser>> input, State<Users> users) {
///       if (input.is_valid(input->name)) {
///         const bool is_taken = co_await users->has(*input->name);
///         if (is_taken) input.add(input->name, "is taken");
///       }
///       Result<NewUser> user = std::move(input).finish();
///       if (!user) co_return fail(std::move(user.error()));
///       …
///
/// A member that could not be read has its initial value. The handler does not run for a body that
/// is not JSON, too large or of another media type.
template <class Content>
class Unvalidated : public detail::app::Judged<typename detail::app::UnvalidatedOf<Content>::Value,
                                               detail::app::UnvalidatedOf<Content>::kIsForm> {
 public:
  using Value = detail::app::UnvalidatedOf<Content>::Value;
  static_assert(reflect::detail::PlainStruct<Value>,
                "eider: Unvalidated needs a struct, because its errors name members");

  /// Returns the value.
  ///
  /// errors  422 with all validation errors
  [[nodiscard]] Result<Value> finish() && {
    if (!this->is_valid()) {
      return fail(Error::invalid(std::move(this->faults_)));
    }
    return std::move(this->value_);
  }

 private:
  friend struct Extract<Unvalidated>;
};

template <class Content>
struct Extract<Unvalidated<Content>> {
  static constexpr ArgumentKind kKind = ArgumentKind::content;
  static constexpr bool kOwnsData = true;
  using Held = Unvalidated<Content>;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    Held held;
    Result<void> read = detail::app::UnvalidatedOf<Content>::read(context.request, held.value_);
    if (!read && read.error().status() != 422) {
      return fail(std::move(read.error()));
    }
    if (!read) {
      held.faults_ = read.error().fields();
    }
    return held;
  }
  static void describe(Operation& operation) { Extract<Content>::describe(operation); }
};

}  // namespace eider
