#include "eider/web/forms/forms.h"

#include <algorithm>
#include <array>

#include "eider/app/handlers/pairs.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/protocols/http/accept.h"
#include "eider/protocols/http/status.h"
#include "eider/web/forms/form_shown.h"
#include "eider/web/languages/library_texts.h"
#include "eider/web/middleware/csrf.h"

namespace eider {

namespace forms::detail {

namespace {

constexpr std::string_view kMultipart = "multipart/form-data";

void prefix_ids(std::vector<FieldView>& fields, const std::string& prefix) {
  for (FieldView& field : fields) {
    field.id = prefix + "-" + field.id;
    prefix_ids(field.fields, prefix);
  }
}

FormView framed(FormView view, const FormFrame& frame, const FormOptions& options) {
  view.action = options.action;
  view.method = "post";
  view.token_name = frame.token_name;
  view.token = frame.token;
  view.is_checked_by_browser = options.is_checked_by_browser;
  view.submit = options.submit == "-"
                    ? ""
                    : frame.words.text(options.submit.empty() ? words::kSave
                                                              : std::string_view(options.submit));
  view.heading = frame.words.text(words::kHeading);
  if (!options.id_prefix.empty()) {
    prefix_ids(view.fields, options.id_prefix);
  }
  return view;
}

}  // namespace

FormFrame frame_of(Request& request) {
  FormFrame frame;
  if (auto* const maker = request.find<CsrfMaker>()) {
    if (request.find<CsrfToken>() == nullptr) {
      request.set(Extract<CsrfToken>::from(Extension<CsrfMaker>(*maker), request));
    }
    const CsrfToken& token = *request.find<CsrfToken>();
    frame.token_name = token.field_name();
    frame.token = token.text();
  }
  frame.words = Words(eider::detail::languages::translator_of(request));
  return frame;
}

Result<TypedForm> read_typed(const FormShape& shape, const Request& request) {
  const std::string_view token_name = eider::detail::app::passed_field(request);
  const std::string_view type = request.header("Content-Type").value_or("");
  const std::string_view essence = trim(type.substr(0, type.find(';')));
  if (equals_ignoring_case(essence, kMultipart)) {
    return read_parts(shape, type, request.body(), token_name);
  }
  if (auto typed = eider::detail::app::expect_content_type(request, kFormUrlencoded); !typed) {
    return fail(std::move(typed.error()));
  }
  return read_pairs(shape, request.body(), token_name);
}

FormView view_of(const FormShape& shape, const FormFrame& frame, const FormOptions& options,
                 const void* object, bool only_defaults, const OpenChoices* choices) {
  return framed(show({.shape = &shape,
                      .words = &frame.words,
                      .object = object,
                      .only_defaults = only_defaults,
                      .choices = choices}),
                frame, options);
}

FormView view_again(const FormShape& shape, const FormFrame& frame, const FormOptions& options,
                    const TypedForm& typed, const std::vector<FieldError>& faults,
                    const OpenChoices* choices) {
  return framed(show({.shape = &shape,
                      .words = &frame.words,
                      .typed = &typed,
                      .faults = &faults,
                      .choices = choices}),
                frame, options);
}

Refusal refusal_of(const Error& error) {
  if (is_server_error(error.status())) {
    throw Failure(error);
  }
  return {error.status(), error.headers()};
}

std::vector<FieldError> faults_of(const Error& error) {
  std::vector<FieldError> faults = error.fields();
  for (FieldError& fault : faults) {
    fault.pointer.erase(0, fault.pointer.starts_with('/') ? 1 : 0);
  }
  if (faults.empty()) {
    faults.push_back({"", error.detail()});
  }
  return faults;
}

FormResponse respond_again(const Request& request, HtmlPage page, const Refusal& refusal,
                           const std::vector<FieldError>& faults) {
  constexpr std::array<std::string_view, 3> kOffered = {kTextHtml, kApplicationProblem,
                                                        kApplicationJson};
  if (choose_media_type(request.headers(), kOffered).value_or(0) == 0) {
    return {std::move(page), refusal.status, refusal.headers};
  }
  Error problem = Error::invalid(faults);
  problem.with_status(refusal.status);
  for (const ErrorHeader& header : refusal.headers) {
    problem.with_header(header.name, header.value);
  }
  return FormResponse(std::move(problem));
}

void describe_content(Operation& operation, const FormShape& shape) {
  if (shape.has_files) {
    operation.take_body(kMultipart, nullptr);
  } else {
    operation.take_body(kFormUrlencoded, may_be_pairs(*shape.type) ? shape.type : nullptr);
  }
  operation.add_problem(415, "The Content-Type is not supported.");
}

}  // namespace forms::detail

void Render<FormResponse>::into(Response& response, FormResponse form) {
  if (auto* const problem = std::get_if<Error>(&form.response_)) {
    return render_error(response, *problem);
  }
  if (auto* const page = std::get_if<HtmlPage>(&form.response_)) {
    const bool is_fine = page->status() == 200;
    Render<HtmlPage>::into(response, std::move(*page));
    if (is_fine) {
      response.set_status(form.status_);
    }
    for (const ErrorHeader& header : form.headers_) {
      response.add_header(header.name, header.value);
    }
  } else {
    Render<Redirect>::into(response, std::get<Redirect>(form.response_));
  }
}

void Render<FormResponse>::describe(Operation& operation) {
  Render<Redirect>::describe(operation);
  if (operation.only_reads()) {
    operation.add_response(200, "The form.", kTextHtml, nullptr);
  } else {
    operation.add_response(422, "The form with its validation errors.", kTextHtml, nullptr);
  }
}

}  // namespace eider
