#include "eider/app/handlers/respond.h"

#include <charconv>
#include <map>
#include <stdexcept>

#include "eider/app/handlers/handler.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/url.h"
#include "eider/core/json/json.h"
#include "eider/protocols/http/date.h"
#include "eider/protocols/http/etag.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/status.h"

namespace eider {

namespace {

struct ProblemField {
  std::string pointer;
  std::string detail;
  std::optional<std::string> code;
  std::optional<std::map<std::string, std::string>> arguments;
};

/// A problem document (RFC 9457, section 3.1); `errors` is an extension member of it.
struct Problem {
  std::string type = "about:blank";
  std::string title;
  int status = 0;
  std::string detail;
  std::optional<std::vector<ProblemField>> errors;
};

std::vector<ProblemField> described(const std::vector<FieldError>& fields) {
  std::vector<ProblemField> all;
  for (const FieldError& field : fields) {
    ProblemField& one = all.emplace_back();
    one.pointer = field.pointer;
    one.detail = field.detail;
    if (!field.code.empty()) {
      one.code = field.code;
    }
    if (!field.arguments.empty()) {
      one.arguments.emplace();
    }
    for (const FieldError::Argument& argument : field.arguments) {
      one.arguments->emplace(argument.name, argument.value);
    }
  }
  return all;
}

/// Returns the title of an error type or, if it has none, the reason phrase of the status.
/// Unregistered status codes have no phrase.
std::string title_of(const Error& error) {
  if (!error.type().title.empty()) {
    return error.type().title;
  }
  const std::string_view phrase = reason_phrase(error.status());
  if (!phrase.empty()) {
    return std::string(phrase);
  }
  return is_server_error(error.status()) ? "Server Error" : "Client Error";
}

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

const reflect::Type& problem_type() noexcept {
  return reflect::type_of<Problem>();
}

namespace detail::app {

void render_text(Response& response, std::string text) {
  response.set_static_type(kTextPlain).set_body(std::move(text));
}

void render_view(Response& response, std::string_view text) noexcept {
  response.set_static_type(kTextPlain).set_static_body(text);
}

void render_shared(Response& response, std::shared_ptr<const std::string> text) {
  if (text == nullptr) {
    render_error(response, Error::not_found());
  } else {
    response.set_static_type(kTextPlain).set_shared_body(std::move(text));
  }
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

namespace {

/// Text from a request must neither split the response nor cause a 500. Encoding is safer than
/// removing: browsers remove a line end in front of "//", and would read a host after it.
std::string with_controls_encoded(std::string_view location) {
  std::string encoded;
  for (std::size_t at = 0; at < location.size(); ++at) {
    const std::string_view one = location.substr(at, 1);
    encoded += is_value_byte(one.front()) ? std::string(one) : percent_encode(one);
  }
  return encoded;
}

}  // namespace

void render_redirect(Response& response, const Redirect& redirect) {
  response.set_status(redirect.status())
      .add_header("Location", with_controls_encoded(redirect.location()));
}

void render_location(Response& response, const std::string& location) {
  if (!location.empty()) {
    response.add_header("Location", with_controls_encoded(location));
  }
}

void render_response(Response& response, Response&& made) {
  // Headers that hooks and guards added before the handler precede its own.
  const std::string earlier(response.field_lines());
  if (made.content_type().empty() && !response.content_type().empty()) {
    made.set_type(std::string(response.content_type()));
  }
  response = std::move(made);
  response.prepend_field_lines(earlier);
}

void render_with(Response& response, std::optional<int> status, const Response& fields) {
  if (status) {
    response.set_status(*status);
  }
  if (!fields.content_type().empty()) {
    response.set_type(std::string(fields.content_type()));
  }
  response.append_field_lines(fields.field_lines());
}

void add_cookie(Response& response, const SetCookie& cookie) {
  const auto value = to_header_value(cookie);
  if (!value) {
    throw std::invalid_argument("the cookie has an invalid name, value or attribute: " +
                                cookie.name);
  }
  response.add_header("Set-Cookie", *value);
}

void set_etag(Response& response, std::string_view opaque) {
  response.replace_header("ETag", write_entity_tag(opaque));
}

void set_last_modified(Response& response, std::int64_t unix_seconds) {
  const DateText date = format_date(unix_seconds);
  response.replace_header("Last-Modified", {date.data(), date.size()});
}

std::optional<Error> merge_errors(std::initializer_list<const Error*> errors) {
  std::optional<Error> all;
  for (const Error* error : errors) {
    if (error == nullptr) {
      continue;
    }
    if (!all) {
      all = *error;
    } else if (error->status() == all->status()) {
      for (const FieldError& field : error->fields()) {
        all->with_field(field);
      }
    }
  }
  return all;
}

}  // namespace detail::app

void render_error(Response& response, const Error& error) {
  Problem problem;
  if (!error.type().uri.empty()) {
    problem.type = error.type().uri;
  }
  problem.title = title_of(error);
  problem.status = error.status();
  problem.detail = error.detail();
  if (!error.fields().empty()) {
    problem.errors = described(error.fields());
  }
  response.set_status(error.status()).set_static_type(kApplicationProblem);
  response.remove_header("Content-Encoding");  // of the body that this replaces
  for (const ErrorHeader& header : error.headers()) {
    response.add_header(header.name, header.value);
  }
  json::write(response.body_buffer(), problem);
}

void render_refusal(Response& response, const Error& error) {
  if (is_server_error(error.status()) && !error.cause().empty()) {
    throw Failure(error);
  }
  render_error(response, error);
}

}  // namespace eider
