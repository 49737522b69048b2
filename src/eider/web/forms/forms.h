// Forms that follow from a struct: shown empty, shown again with what was typed and what is wrong
// with it, and read. Must not store anything, nor decide where a form stands on a page.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "eider/app/handlers/draft.h"
#include "eider/app/handlers/extract.h"
#include "eider/core/reflect/type_of.h"
#include "eider/web/forms/form_field.h"
#include "eider/web/forms/form_reader.h"
#include "eider/web/forms/form_shape.h"
#include "eider/web/forms/form_words.h"
#include "eider/web/views/app/views.h"
#include "eider/web/views/form_view.h"

namespace eider {

/// What of a form the struct does not say.
///
/// action      where it is sent; empty: to the page that it is on
/// submit      on its button; none where the template has one of its own ("-")
/// id_prefix   of the ids on the page, "new" for "new-title": for one of two forms that share names
/// is_checked_by_browser  else rules are asked by the server alone (`novalidate`)
struct FormOptions {
  std::string action = {};
  std::string submit = {};
  std::string id_prefix = {};
  bool is_checked_by_browser = true;
};

class FormAnswer;
template <class T>
class FilledForm;

namespace forms::detail {

/// What a form on a page needs of its request: the token of csrf, where that is used, and the
/// language, where there are several.
struct FormFrame {
  std::string token_name;
  std::string token;
  Words words;
};

/// Both are put into the request, as if the handler had asked for them: so the token's cookie is
/// set, and caches learn of the language.
[[nodiscard]] FormFrame frame_of(Request& request);
[[nodiscard]] Result<TypedForm> read_typed(const FormShape& shape, const Request& request);
/// object  null: with what was typed
[[nodiscard]] FormView view_of(const FormShape& shape, const FormFrame& frame,
                               const FormOptions& options, const void* object, bool only_defaults);
[[nodiscard]] FormView view_again(const FormShape& shape, const FormFrame& frame,
                                  const FormOptions& options, const TypedForm& typed,
                                  const std::vector<FieldError>& faults);
void describe_content(Operation& operation, const FormShape& shape);
/// What an error says to the answer as a whole.
struct Refusal {
  int status = 422;
  std::vector<ErrorHeader> headers = {};
};
/// Throws one of 500 and up.
[[nodiscard]] Refusal refusal_of(const Error& error);
[[nodiscard]] std::vector<FieldError> faults_of(const Error& error);
[[nodiscard]] FormAnswer answer_again(const Request& request, Page page, const Refusal& refusal,
                                      const std::vector<FieldError>& faults);

template <class T>
struct Bare {
  using type = T;
};
template <class T>
  requires requires { typename T::BoundedValue; }
struct Bare<T> : Bare<typename T::BoundedValue> {};

/// Whether a form of a T has a field of that name, "address.street".
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
  for (const FieldText& text : T::kForm) {
    if (!has_field<T>(text.member)) {
      return false;
    }
  }
  return true;
}

template <class T>
[[nodiscard]] const FormShape& shape_of() {
  static_assert(reflect::detail::PlainStruct<T>,
                "eider: a form is of a struct, whose members are its fields");
  std::span<const FieldText> texts;
  std::span<const std::string_view> passed;
  if constexpr (requires { T::kForm; }) {
    static_assert(are_of_fields<T>(), "eider: kForm speaks of a field that is not there");
    texts = T::kForm;
  }
  if constexpr (requires { T::kPassedOver; }) {
    passed = T::kPassedOver;
  }
  static const FormShape shape = make_shape(reflect::type_of<T>(), texts, passed);
  return shape;
}

}  // namespace forms::detail

/// A parameter of handlers: the form of a T that nobody has filled in yet.
///
///     app.get("/notes/new", [](BlankForm<NewNote> form, State<Views> views) {
///       return views->page(NewNotePage{.form = form.view()});
///     });
template <class T>
class BlankForm {
 public:
  /// With what members are initialised with.
  [[nodiscard]] FormView view(const FormOptions& options = {}) const {
    const T fresh{};
    return shown(fresh, options, true);
  }
  /// With what there is, to be changed.
  [[nodiscard]] FormView view_of(const T& object, const FormOptions& options = {}) const {
    return shown(object, options, false);
  }

 private:
  friend struct Extract<BlankForm>;
  friend class FilledForm<T>;
  explicit BlankForm(Request& request) : request_(&request) {}

  FormView shown(const T& object, const FormOptions& options, bool only_defaults) const {
    return forms::detail::view_of(forms::detail::shape_of<T>(), forms::detail::frame_of(*request_),
                                  options, &object, only_defaults);
  }

  Request* request_;
};

/// What a form is answered with: the page again, with status 422 unless another is said, and fields
/// such as Retry-After, or another place.
class FormAnswer {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a handler returns one or the other
  FormAnswer(Page page, int status = 422, std::vector<ErrorHeader> headers = {})
      : answer_(std::move(page)), status_(status), headers_(std::move(headers)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): likewise
  FormAnswer(Redirect redirect) : answer_(std::move(redirect)) {}
  /// For whoever asks for JSON.
  explicit FormAnswer(Error problem) : answer_(std::move(problem)) {}

 private:
  friend struct Render<FormAnswer>;
  std::variant<Page, Redirect, Error> answer_;
  int status_ = 303;
  std::vector<ErrorHeader> headers_;
};

/// A parameter of handlers: what somebody typed into the form of a T, whatever is wrong with it.
///
///     Task<FormAnswer> add(FilledForm<NewNote> form, State<Store> store, State<Views> views) {
///       if (!form.is_good()) {
///         co_return form.again(views->page(NewNotePage{.form = form.view()}));   // 422
///       }
///       co_await store->add(*form);
///       co_return Redirect("/notes");
///     }
///     app.post("/notes/new", add);
///     app.get("/notes/new", add);
///
/// Such a handler may be that of a GET, too, which shows the form for the first time: nothing was
/// sent then, so that it is not good, nothing is wrong with it, and `again` is a 200.
///
/// A member that could not be read is as it was made. Content that is no form at all (415), or no
/// well-formed one of parts (400, 413), never comes to the handler. Names that the form does not
/// have are wrong, save those that T passes over:
///
///     static constexpr std::string_view kPassedOver[] = {"commit", "g-recaptcha-response"};
///
/// Members are told of by name: is_good(form->title), add(form->title, "is taken").
template <class T>
class FilledForm : public eider::detail::app::Judged<T, true> {
 public:
  using Base = eider::detail::app::Judged<T, true>;
  using Base::add;

  /// Whether nothing is wrong with it, so far. Never where nothing was sent.
  [[nodiscard]] bool is_good() const noexcept { return is_sent_ && Base::is_good(); }
  template <class M>
  [[nodiscard]] bool is_good(const M& member) const {
    return is_sent_ && Base::is_good(member);
  }
  /// false: the form is shown for the first time, by a GET or a HEAD.
  [[nodiscard]] bool is_sent() const noexcept { return is_sent_; }

  /// What an error says: of the fields that it names, else of the form as a whole. The page is
  /// shown again with its status and headers then. One of 500 and up is thrown.
  void add(const Error& error) {
    refusal_ = forms::detail::refusal_of(error);
    for (FieldError& fault : forms::detail::faults_of(error)) {
      this->add_fault(std::move(fault));
    }
  }
  /// Whether it was taken: if not, its error is added.
  template <class R>
  [[nodiscard]] bool took(const Result<R>& result) {
    if (!result) {
      add(result.error());
    }
    return result.has_value();
  }
  [[nodiscard]] const std::vector<FieldError>& faults() const noexcept { return this->faults_; }

  /// With what was typed, byte for byte, and what is wrong with it. Passwords and files are left
  /// out.
  [[nodiscard]] FormView view(const FormOptions& options = {}) const {
    return is_sent_ ? typed(options) : BlankForm<T>(*request_).view(options);
  }
  /// The same, but for the first time with what there is, to be changed.
  [[nodiscard]] FormView view_of(const T& object, const FormOptions& options = {}) const {
    return is_sent_ ? typed(options) : BlankForm<T>(*request_).view_of(object, options);
  }
  /// The page with view() on it, by the status of what is wrong; for whoever asks for JSON rather
  /// than HTML (Accept) a problem document.
  [[nodiscard]] FormAnswer again(Page page) const {
    if (!is_sent_) {
      return {std::move(page), refusal_.status, refusal_.headers};
    }
    return forms::detail::answer_again(*request_, std::move(page), refusal_, this->faults_);
  }

 private:
  friend struct Extract<FilledForm>;
  explicit FilledForm(Request& request)
      : request_(&request),
        is_sent_(request.method() != Method::get && request.method() != Method::head),
        refusal_({.status = is_sent_ ? 422 : 200}) {}

  FormView typed(const FormOptions& options) const {
    return forms::detail::view_again(forms::detail::shape_of<T>(),
                                     forms::detail::frame_of(*request_), options, typed_,
                                     this->faults_);
  }

  Request* request_;
  bool is_sent_;
  forms::detail::TypedForm typed_;
  forms::detail::Refusal refusal_;
};

template <>
struct Render<FormAnswer> {
  static constexpr bool kIsWhole = true;
  static void into(Response& response, FormAnswer answer);
  static void describe(Operation& operation);
};

// The request is viewed until the form is shown: its token is taken then, by the session that is
// there then.

template <class T>
struct Extract<BlankForm<T>> {
  using Held = BlankForm<T>;
  static void check_type() { static_cast<void>(forms::detail::shape_of<T>()); }
  static Result<Held> from(const Context& context, ArgumentPlace) { return Held(context.request); }
};

template <class T>
struct Extract<FilledForm<T>> {
  static constexpr ArgumentKind kKind = ArgumentKind::content;
  using Held = FilledForm<T>;
  static void check_type() { static_cast<void>(forms::detail::shape_of<T>()); }
  static Result<Held> from(const Context& context, ArgumentPlace) {
    static_assert(reflect::kIsReadable<T>,
                  "eider: views can only be written: read into std::string instead");
    const forms::detail::FormShape& shape = forms::detail::shape_of<T>();
    Held held(context.request);
    if (!held.is_sent_) {  // whatever content a GET brings along, it was not typed in here
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
