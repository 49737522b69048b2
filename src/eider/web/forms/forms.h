// HTML forms generated from a struct: shown, read, and shown again with validation errors.
// Layering: must not store anything, or decide where a form is on a page.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "eider/app/handlers/extract.h"
#include "eider/app/handlers/unvalidated.h"
#include "eider/core/reflect/type_of.h"
#include "eider/core/reflect/wording.h"
#include "eider/web/forms/form_choices.h"
#include "eider/web/forms/form_field.h"
#include "eider/web/forms/form_reader.h"
#include "eider/web/forms/form_shape.h"
#include "eider/web/forms/form_words.h"
#include "eider/web/views/app/views.h"
#include "eider/web/views/form_view.h"

namespace eider {

/// Settings of a form on a page.
///
/// action      URL that receives the form; empty: the page itself
/// submit      text of the button; "-": the template has its own button
/// id_prefix   of the ids on the page, "new" for "new-title": for two forms with equal names
/// is_checked_by_browser  false: only the server checks rules (`novalidate`)
struct FormOptions {
  std::string action = {};
  std::string submit = {};
  std::string id_prefix = {};
  bool is_checked_by_browser = true;
};

class FormResponse;
template <class T>
class BoundForm;

namespace forms::detail {

/// Data of the request that a form needs: the CSRF token, if csrf is used, and the language, if
/// there are several.
struct FormFrame {
  std::string token_name;
  std::string token;
  Words words;
};

/// Marks both as used by the handler, so that the cookie of the token is set, and the response
/// varies by language.
[[nodiscard]] FormFrame frame_of(Request& request);
[[nodiscard]] Result<TypedForm> read_typed(const FormShape& shape, const Request& request);
/// object   null: the form has the submitted values
/// choices  null: fields without choices are shown as inputs
[[nodiscard]] FormView view_of(const FormShape& shape, const FormFrame& frame,
                               const FormOptions& options, const void* object, bool only_defaults,
                               const OpenChoices* choices = nullptr);
[[nodiscard]] FormView view_again(const FormShape& shape, const FormFrame& frame,
                                  const FormOptions& options, const TypedForm& typed,
                                  const std::vector<FieldError>& faults,
                                  const OpenChoices* choices = nullptr);
void describe_content(Operation& operation, const FormShape& shape);
/// The effect of an error on the response as a whole.
struct Refusal {
  int status = 422;
  std::vector<ErrorHeader> headers = {};
};
/// Throws errors of 500 and above.
[[nodiscard]] Refusal refusal_of(const Error& error);
[[nodiscard]] std::vector<FieldError> faults_of(const Error& error);
[[nodiscard]] FormResponse respond_again(const Request& request, HtmlPage page,
                                         const Refusal& refusal,
                                         const std::vector<FieldError>& faults);

/// Returns the name of a member of the object: "address/street".
template <class T, class M>
[[nodiscard]] std::string pointer_in(const T& object, const M& member) {
  return eider::detail::app::member_error<true>(object, member, {}).pointer;
}

template <class T>
struct Bare {
  using type = T;
};
template <class T>
  requires requires { typename T::ConstrainedValue; }
struct Bare<T> : Bare<typename T::ConstrainedValue> {};

/// Returns whether a form of a T has a field of that name, "address.street".
template <class T>
consteval bool has_field(std::string_view name);

template <class T, std::size_t... I>
consteval bool has_field_among(std::string_view name, std::index_sequence<I...> /*members*/) {
  const std::size_t dot = name.find('.');
  const auto names = reflect::member_names<T>();
  return (false || ... ||
          (names[I] == name.substr(0, dot) &&
           (dot == name.npos ||
            has_field<typename Bare<std::remove_cv_t<reflect::detail::MemberType<T, I>>>::type>(
                name.substr(dot + 1)))));
}

template <class T>
consteval bool has_field(std::string_view name) {
  if constexpr (reflect::detail::PlainStruct<T>) {
    return has_field_among<T>(name, std::make_index_sequence<reflect::member_names<T>().size()>());
  } else {
    return false;
  }
}

template <class T>
consteval bool are_of_fields() {
  for (const FieldText& text : T::kFormFields) {
    if (!has_field<T>(text.member)) {
      return false;
    }
  }
  return true;
}

template <class T>
[[nodiscard]] const FormShape& shape_of() {
  static_assert(reflect::detail::PlainStruct<T>,
                "eider: a form needs a struct whose members are the form fields");
  std::span<const FieldText> texts;
  std::span<const std::string_view> passed;
  if constexpr (requires { T::kFormFields; }) {
    static_assert(are_of_fields<T>(),
                  "eider: kFormFields names a member that the struct does not have");
    texts = T::kFormFields;
  }
  if constexpr (requires { T::kIgnoredFields; }) {
    passed = T::kIgnoredFields;
  }
  static const FormShape shape = make_shape(reflect::type_of<T>(), texts, passed);
  return shape;
}

}  // namespace forms::detail

/// A parameter of handlers: an empty form of a T.
///
///     app.get("/notes/new", [](EmptyForm<NewNote> form, State<Views> views) {
///       return views->page(NewNotePage{.form = form.view()});
///     });
template <class T>
class EmptyForm {
 public:
  /// Names members in set_choices; they have their default values.
  const T* operator->() const noexcept { return &fresh_; }
  /// See BoundForm::set_choices.
  template <class M, class Rows, class Value, class Label>
  void set_choices(const M& member, const Rows& rows, const Value& value, const Label& label) {
    choices_.set(forms::detail::shape_of<T>(), forms::detail::pointer_in(fresh_, member),
                 forms::detail::choices_of(rows, value, label));
  }
  /// Returns the form with the default values of the members.
  [[nodiscard]] FormView view(const FormOptions& options = {}) const {
    return shown(fresh_, options, true);
  }
  /// Returns the form with existing values, for editing.
  [[nodiscard]] FormView view_of(const T& object, const FormOptions& options = {}) const {
    return shown(object, options, false);
  }

 private:
  friend struct Extract<EmptyForm>;
  friend class BoundForm<T>;
  explicit EmptyForm(Request& request) : request_(&request) {}

  FormView shown(const T& object, const FormOptions& options, bool only_defaults) const {
    choices_.expect_all(forms::detail::shape_of<T>());
    return forms::detail::view_of(forms::detail::shape_of<T>(), forms::detail::frame_of(*request_),
                                  options, &object, only_defaults, &choices_);
  }

  Request* request_;
  T fresh_{};
  forms::detail::OpenChoices choices_;
};

/// The response to a form: the page again (default status: 422) with headers such as Retry-After,
/// or a redirect.
class FormResponse {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a handler returns one or the other
  FormResponse(HtmlPage page, int status = 422, std::vector<ErrorHeader> headers = {})
      : response_(std::move(page)), status_(status), headers_(std::move(headers)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): likewise
  FormResponse(Redirect redirect) : response_(std::move(redirect)) {}
  /// Creates a problem document, for clients that request JSON.
  explicit FormResponse(Error problem) : response_(std::move(problem)) {}

 private:
  friend struct Render<FormResponse>;
  std::variant<HtmlPage, Redirect, Error> response_;
  int status_ = 303;
  std::vector<ErrorHeader> headers_;
};

/// A parameter of handlers: a submitted form of a T, with its validation errors.
///
///     Task<FormResponse> add(BoundForm<NewNote> form, State<Store> store, State<Views> views) {
///       if (!form.is_valid()) {
///         co_return form.render_again(views->page(NewNotePage{.form = form.view()}));   // 422
///       }
///       co_await store->add(*form);
///       co_return Redirect("/notes");
///     }
///     app.post("/notes/new", add);
///     app.get("/notes/new", add);
///
/// The handler may serve GET, too, which shows the form for the first time: nothing was sent, so
/// `is_valid` is false, there are no errors, and `render_again` returns 200.
///
/// A member that could not be read has its default value. A body that is not a form (415), or not
/// well-formed (400, 413), does not reach the handler. Unknown names are errors, except those that
/// T ignores:
///
///     static constexpr std::string_view kIgnoredFields[] = {"commit", "g-recaptcha-response"};
///
/// Errors refer to members: is_valid(form->title), add(form->title, "is taken").
template <class T>
class BoundForm : public eider::detail::app::Judged<T, true> {
 public:
  using Base = eider::detail::app::Judged<T, true>;
  using Base::add;

  /// Returns whether there are no errors so far; false if nothing was sent.
  ///
  /// errors  throws a Failure if a field has no choices: see set_choices
  [[nodiscard]] bool is_valid() const {
    if (is_sent_) {
      choices_.expect_all(forms::detail::shape_of<T>());
    }
    return is_sent_ && Base::is_valid();
  }
  template <class M>
  [[nodiscard]] bool is_valid(const M& member) const {
    if (is_sent_) {
      choices_.expect_all(forms::detail::shape_of<T>(), forms::detail::pointer_in(**this, member));
    }
    return is_sent_ && Base::is_valid(member);
  }
  /// Returns false if the form is shown for the first time, for a GET or a HEAD.
  [[nodiscard]] bool is_sent() const noexcept { return is_sent_; }

  /// Sets the choices of a field, and adds an error if its value is not one of them. Call it before
  /// is_valid() and view(). The field has Control::select or Control::radios in kFormFields; a list
  /// has Control::checkboxes.
  ///
  ///     form.set_choices(form->doctor_id, co_await doctors->all(), &Doctor::id, &Doctor::name);
  ///
  /// rows   a range of structs
  /// value  member or function of a row that the field is compared with: its id
  /// label  member or function of a row that users see; it is not translated
  ///
  /// errors  throws a Failure for another field
  template <class M, class Rows, class Value, class Label>
  void set_choices(const M& member, const Rows& rows, const Value& value, const Label& label) {
    const std::string pointer = forms::detail::pointer_in(**this, member);
    choices_.set(forms::detail::shape_of<T>(), pointer,
                 forms::detail::choices_of(rows, value, label));
    if (is_valid(member) &&
        !choices_.contain(pointer, forms::detail::texts_of(reflect::type_of<M>(), &member))) {
      this->add(member,
                typed_.has(pointer) ? forms::detail::kNotAChoice : reflect::wording::kMissing);
    }
  }

  /// Adds the error to the fields that it names, or to the form as a whole. The page is then shown
  /// again with its status and headers. Errors of 500 and above are thrown.
  void add(const Error& error) {
    refusal_ = forms::detail::refusal_of(error);
    for (FieldError& fault : forms::detail::faults_of(error)) {
      this->add_fault(std::move(fault));
    }
  }
  /// Returns whether the result is a value; otherwise adds its error.
  template <class R>
  [[nodiscard]] bool add_result(const Result<R>& result) {
    if (!result) {
      add(result.error());
    }
    return result.has_value();
  }
  [[nodiscard]] const std::vector<FieldError>& errors() const noexcept { return this->faults_; }

  /// Returns the form with the submitted values, unchanged, and the errors. Passwords and files are
  /// omitted.
  [[nodiscard]] FormView view(const FormOptions& options = {}) const {
    return is_sent_ ? typed(options) : empty().view(options);
  }
  /// As above, but when shown for the first time, with existing values for editing.
  [[nodiscard]] FormView view_of(const T& object, const FormOptions& options = {}) const {
    return is_sent_ ? typed(options) : empty().view_of(object, options);
  }
  /// Returns the page with view(), with the status of the errors; for clients that prefer JSON over
  /// HTML (Accept), a problem document.
  [[nodiscard]] FormResponse render_again(HtmlPage page) const {
    if (!is_sent_) {
      return {std::move(page), refusal_.status, refusal_.headers};
    }
    return forms::detail::respond_again(*request_, std::move(page), refusal_, this->faults_);
  }

 private:
  friend struct Extract<BoundForm>;
  explicit BoundForm(Request& request)
      : request_(&request),
        is_sent_(request.method() != Method::get && request.method() != Method::head),
        refusal_({.status = is_sent_ ? 422 : 200}) {}

  FormView typed(const FormOptions& options) const {
    choices_.expect_all(forms::detail::shape_of<T>());
    return forms::detail::view_again(forms::detail::shape_of<T>(),
                                     forms::detail::frame_of(*request_), options, typed_,
                                     this->faults_, &choices_);
  }
  EmptyForm<T> empty() const {
    EmptyForm<T> form(*request_);
    form.choices_ = choices_;
    return form;
  }

  Request* request_;
  bool is_sent_;
  forms::detail::TypedForm typed_;
  forms::detail::OpenChoices choices_;
  forms::detail::Refusal refusal_;
};

template <>
struct Render<FormResponse> {
  static constexpr bool kIsBuffered = true;
  static void into(Response& response, FormResponse form);
  static void describe(Operation& operation);
};

// The object views the request until the form is shown. Only then is the token read, because the
// handler may start a new session.

template <class T>
struct Extract<EmptyForm<T>> {
  using Held = EmptyForm<T>;
  static void check_type() { static_cast<void>(forms::detail::shape_of<T>()); }
  static Result<Held> from(const Context& context, ArgumentPlace) { return Held(context.request); }
};

template <class T>
struct Extract<BoundForm<T>> {
  static constexpr ArgumentKind kKind = ArgumentKind::content;
  using Held = BoundForm<T>;
  static void check_type() { static_cast<void>(forms::detail::shape_of<T>()); }
  static Result<Held> from(const Context& context, ArgumentPlace) {
    static_assert(reflect::kIsReadable<T>,
                  "eider: a view can be written, but not read: use std::string instead");
    const forms::detail::FormShape& shape = forms::detail::shape_of<T>();
    Held held(context.request);
    if (!held.is_sent_) {  // a GET with a body was not sent by this form
      return held;
    }
    auto typed = forms::detail::read_typed(shape, context.request);
    if (!typed) {
      return fail(std::move(typed.error()));
    }
    held.typed_ = std::move(*typed);
    held.faults_ = forms::detail::fill(shape, &held.value_, held.typed_);
    return held;
  }
  static void describe(Operation& operation) {
    if (!operation.only_reads()) {
      forms::detail::describe_content(operation, forms::detail::shape_of<T>());
    }
  }
};

}  // namespace eider
