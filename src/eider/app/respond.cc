#include "eider/app/respond.h"

#include <charconv>

#include "eider/app/handler.h"
#include "eider/http/status.h"
#include "eider/json/json.h"

namespace eider {

namespace {

/// A problem document (RFC 9457, section 3.1); `errors` is an extension member of it.
struct Problem {
  std::string type = "about:blank";
  std::string title;
  int status = 0;
  std::string detail;
  std::optional<std::vector<FieldError>> errors;
};

template <class Number>
void render_number(Response& response, Number number) {
  constexpr std::size_t kNumberBytesMax = 32;
  Buffer& body = response.body_buffer();
  char* begin = body.reserve(kNumberBytesMax);
  const auto end = std::to_chars(begin, begin + kNumberBytesMax, number).ptr;
  body.commit(static_cast<std::size_t>(end - begin));
  response.set_static_type(kTextPlain);
}

}  // namespace

namespace detail {

void render_text(Response& response, std::string text) {
  response.set_static_type(kTextPlain).set_body(std::move(text));
}

void render_view(Response& response, std::string_view text) noexcept {
  response.set_static_type(kTextPlain).set_static_body(text);
}

void render_whole_number(Response& response, std::int64_t number) {
  render_number(response, number);
}

void render_natural_number(Response& response, std::uint64_t number) {
  render_number(response, number);
}

void render_real_number(Response& response, double number) {
  render_number(response, number);
}

void render_json(Response& response, const reflect::Type& type, const void* object) {
  json::write(response.body_buffer(), type, object);
  response.set_static_type(kApplicationJson);
}

void render_redirect(Response& response, const Redirect& redirect) {
  response.set_status(redirect.status()).add_header("Location", redirect.location());
}

void render_location(Response& response, const std::string& location) {
  if (!location.empty()) {
    response.add_header("Location", location);
  }
}

void render_response(Response& response, Response&& made) {
  const std::string earlier(response.field_lines());
  response = std::move(made);
  response.prepend_field_lines(earlier);
}

void render_errors(Response& response, std::initializer_list<const Error*> errors) {
  const Error* first = nullptr;
  std::optional<Error> all;
  for (const Error* error : errors) {
    if (error == nullptr) {
      continue;
    }
    if (first == nullptr) {
      first = error;
      all = *error;
    } else if (error->status() == first->status()) {
      for (const FieldError& field : error->fields()) {
        all->with_field(field.pointer, field.detail);
      }
    }
  }
  render_error(response, *all);
}

}  // namespace detail

void render_error(Response& response, const Error& error) {
  Problem problem;
  problem.title = reason_phrase(error.status());
  problem.status = error.status();
  problem.detail = error.detail();
  if (!error.fields().empty()) {
    problem.errors = error.fields();
  }
  response.set_status(error.status()).set_static_type(kApplicationProblem);
  response.remove_header("Content-Encoding");  // of the content that this replaces
  json::write(response.body_buffer(), problem);
}

}  // namespace eider
