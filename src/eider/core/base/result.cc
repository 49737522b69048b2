#include "eider/core/base/result.h"

#include "eider/core/base/text.h"
#include "eider/core/base/translation.h"

namespace eider {

struct Error::Said {
  std::string detail;
  std::string cause;
  std::vector<FieldError> fields;
  std::vector<ErrorHeader> headers;
  ProblemType type;
};

Error::Error(int status, std::string detail)
    : status_(status),
      said_(new Said{
          .detail = std::move(detail), .cause = {}, .fields = {}, .headers = {}, .type = {}}) {}

Error::Error(const Error& other)
    : status_(other.status_), said_(std::make_unique<Said>(other.said())) {}

Error::Error(Error&& other) noexcept = default;

Error& Error::operator=(const Error& other) {
  return *this = Error(other);
}

Error& Error::operator=(Error&& other) noexcept = default;

Error::~Error() = default;

Error Error::bad_request(std::string detail) {
  return {400, std::move(detail)};
}

Error Error::unauthorized(std::string detail) {
  return {401, std::move(detail)};
}

Error Error::forbidden(std::string detail) {
  return {403, std::move(detail)};
}

Error Error::not_found() {
  return not_found("No resource at this URL.");
}

Error Error::not_found(std::string detail) {
  return {404, std::move(detail)};
}

Error Error::conflict(std::string detail) {
  return {409, std::move(detail)};
}

Error Error::gone(std::string detail) {
  return {410, std::move(detail)};
}

Error Error::invalid(std::vector<FieldError> fields) {
  Error error(422, "The input is not valid.");
  error.said_->fields = std::move(fields);
  return error;
}

Error Error::bad_gateway(std::string detail) {
  return {502, std::move(detail)};
}

Error Error::unavailable(std::string detail) {
  return {503, std::move(detail)};
}

Error Error::internal(std::string cause) {
  return Error(500, "The server failed to process this request.").because(std::move(cause));
}

const std::string& Error::detail() const noexcept {
  return said().detail;
}

const std::string& Error::cause() const noexcept {
  return said().cause;
}

const std::vector<FieldError>& Error::fields() const noexcept {
  return said().fields;
}

std::string Error::summary() const {
  return fields().empty() ? detail() : fields().front().pointer + ": " + fields().front().detail;
}

std::string Error::sentence() const {
  std::string text;
  for (const FieldError& field : fields()) {
    const std::string label = label_of(field.pointer.substr(field.pointer.rfind('/') + 1));
    text.append(text.empty() ? "" : "; ");
    text.append(label).append(label.empty() ? "" : ": ").append(field.detail);
  }
  if (text.empty()) {
    return detail();
  }
  text.front() = is_letter(text.front()) ? label_of(text.substr(0, 1)).front() : text.front();
  return text.ends_with('.') ? text : text + '.';
}

const std::vector<ErrorHeader>& Error::headers() const noexcept {
  return said().headers;
}

const ProblemType& Error::type() const noexcept {
  return said().type;
}

Error Error::because(std::string cause) && {
  change().cause = std::move(cause);
  return std::move(*this);
}

Error& Error::with_type(ProblemType type) {
  change().type = std::move(type);
  return *this;
}

Error& Error::with_header(std::string name, std::string value) {
  change().headers.push_back({std::move(name), std::move(value)});
  return *this;
}

Error& Error::with_field(std::string pointer, std::string detail) {
  return with_field({std::move(pointer), std::move(detail)});
}

Error& Error::with_field(FieldError field) {
  change().fields.push_back(std::move(field));
  return *this;
}

const Error::Said& Error::said() const noexcept {
  static const Said kNothing;
  return said_ == nullptr ? kNothing : *said_;
}

Error::Said& Error::change() {
  if (said_ == nullptr) {
    said_ = std::make_unique<Said>();
  }
  return *said_;
}

}  // namespace eider
