#include "eider/app/handlers/extract.h"

#include "eider/app/handlers/pairs.h"
#include "eider/core/base/text.h"
#include "eider/core/base/utf8.h"
#include "eider/core/json/path.h"
#include "eider/protocols/http/cookie.h"

namespace eider::detail::app {

namespace {

Result<void> with_status(std::vector<FieldError> wrong, int status) {
  if (wrong.empty()) {
    return {};
  }
  Error error = Error::invalid(std::move(wrong));
  return fail(std::move(error.with_status(status)));
}

}  // namespace

Result<void> read_query(const reflect::Type& type, void* object, const Context& context) {
  const auto unknown =
      context.ignores_unknown_query ? UnknownPairs::ignore : UnknownPairs::reject_parameter;
  return with_status(read_pairs(type, object, context.request.query(), {}, unknown), 400);
}

std::string_view passed_field(const Request& request) noexcept {
  const auto* const passes = request.find<PassesField>();
  return passes == nullptr ? std::string_view() : passes->name;
}

Result<void> read_form(const reflect::Type& type, void* object, const Request& request) {
  return with_status(read_pairs(type, object, without_bom(request.body()), passed_field(request)),
                     422);
}

namespace {

Error with_fields(Error error, std::string_view name, const BrokenRequirements& broken) {
  for (const Requirement& one : broken) {
    error.with_field(field_error(std::string(name), one));
  }
  return error;
}

}  // namespace

Error bad_path_value(const Context& context, std::size_t index, const BrokenRequirements& broken) {
  return with_fields(Error::bad_request("The path is not valid."), context.path_names[index],
                     broken);
}

Error bad_field(std::string_view kind, std::string_view name, const BrokenRequirements& broken) {
  std::string text("The ");
  text.append(kind).append(" is not valid.");
  return with_fields(Error::bad_request(std::move(text)), name, broken);
}

Result<void> expect_content_type(const Request& request, std::string_view type) {
  const auto given = request.header("Content-Type");
  if (given) {
    const std::string_view essence = trim(given->substr(0, given->find(';')));
    if (equals_ignoring_case(essence, type)) {
      return {};
    }
  }
  std::string text("The request body requires Content-Type: ");
  text.append(type).append(".");
  return fail(Error(415, std::move(text)));
}

Result<void> read_form_instead(const Request& request, const reflect::Type& type, void* object,
                               Error otherwise) {
  if (request.find<TakesForms>() == nullptr || !expect_content_type(request, kFormUrlencoded)) {
    return fail(std::move(otherwise));
  }
  if (!may_be_pairs(type)) {
    return fail(Error(415, "This type has nested members and cannot be sent as a form. " +
                               std::string(otherwise.detail())));
  }
  std::vector<FieldError> errors =
      read_pairs(type, object, without_bom(request.body()), passed_field(request));
  if (errors.empty()) {
    return {};
  }
  for (FieldError& error : errors) {
    error.pointer = json::detail::Path().member(error.pointer).pointer();
  }
  return fail(Error::invalid(std::move(errors)));
}

std::optional<std::string_view> find_cookie(const Request& request,
                                            std::string_view name) noexcept {
  for (const Field& field : request.headers()) {
    if (equals_ignoring_case(field.name, "Cookie")) {
      if (auto value = eider::find_cookie(field.value, name)) {
        return value;
      }
    }
  }
  return std::nullopt;
}

Error nobody_has_put(std::string_view type_name) {
  return Error::internal("no guard, provider or middleware has stored a " + std::string(type_name) +
                         " in this request, although one was declared to do so");
}

}  // namespace eider::detail::app

namespace eider {

Result<Body> Extract<Body>::from(const Context& context, ArgumentPlace) {
  return Body(context.request.body());
}

Result<BodyStream> Extract<BodyStream>::from(const Context& context, ArgumentPlace) {
  return BodyStream(*context.ongoing->content);
}

Result<EarlyHints> Extract<EarlyHints>::from(const Context& context, ArgumentPlace) {
  return EarlyHints(context.request);
}

Result<Cancel> Extract<Cancel>::from(const Context& context, ArgumentPlace) {
  return context.ongoing == nullptr ? Cancel() : context.ongoing->cancel;
}

}  // namespace eider
