#include "eider/app/handlers/thrown.h"

#include <cstddef>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "eider/app/handlers/failure_note.h"
#include "eider/app/handlers/middleware.h"
#include "eider/app/handlers/respond.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/refused_value.h"
#include "eider/core/base/url.h"
#include "eider/core/base/utf8.h"
#include "eider/protocols/http/status.h"

namespace eider::detail::app {
namespace {

/// The member of a request that contained a rejected value, so that the response can name it.
///
/// pointer     the name of a parameter, or a JSON pointer (RFC 6901) into the body
/// is_of_body  false for the path and the query
struct RefusedMember {
  std::string pointer;
  bool is_of_body;
};

/// Returns the name of the path parameter with that index: of "/books/{id}/pages/{page}", 1 is
/// "page".
std::string_view name_in_route(std::string_view route, std::size_t index) noexcept {
  for (std::size_t at = route.find('{'); at != std::string_view::npos; at = route.find('{')) {
    route.remove_prefix(at + 1);
    if (index-- == 0) {
      return route.substr(0, route.find_first_of(".}"));
    }
  }
  return {};
}

std::optional<std::string> find_in_path(const Request& request, const RefusedValue& value) {
  const PathValues& values = request.path_values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view name = name_in_route(request.route(), i);
    if (!name.empty() && value.is_in(values[i])) {
      return std::string(name);
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_in_pairs(std::string_view pairs, const RefusedValue& value) {
  QueryReader reader(pairs);
  while (const auto pair = reader.next()) {
    const auto text = percent_decode(pair->value, Plus::space);
    if (text && value.is_in(*text)) {
      return percent_decode(pair->name, Plus::space);
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_in_body(const Request& request, const CausedByValue& caused) {
  const std::string_view type = request.header("Content-Type").value_or("");
  if (type.starts_with("application/x-www-form-urlencoded")) {
    return find_in_pairs(without_bom(request.body()), *caused.refused());
  }
  return type.contains("json") ? caused.find_in_json(request.body()) : std::nullopt;
}

/// Looks for the value in the path, the query, and a body that is JSON text or a form. Returns
/// nothing if the request does not contain the value, for example because the handler computed it.
/// Pre: caused.refused() is not null.
std::optional<RefusedMember> find_member(const Request& request, const CausedByValue& caused) {
  auto found = find_in_path(request, *caused.refused());
  if (!found) {
    found = find_in_pairs(request.query(), *caused.refused());
  }
  const bool is_of_body = !found;
  if (!found) {
    found = find_in_body(request, caused);
  }
  return found ? std::optional(RefusedMember{std::move(*found), is_of_body}) : std::nullopt;
}

}  // namespace

}  // namespace eider::detail::app

namespace eider {

namespace {

constexpr int kBadRequest = 400;

/// Renders the error, or a 500 if one of its headers is invalid: a header value with a line break,
/// from a client's text, could inject headers into the response.
Error render_or_refuse(Response& response, Error error) {
  try {
    render_error(response, error);
    return error;
  } catch (const std::invalid_argument& wrong) {
    Error internal = Error::internal(wrong.what());
    render_error(response, internal);
    return internal;
  }
}

/// Returns the current exception as an error, with the member of the request whose value caused it.
Error error_for(const Request& request) {
  try {
    throw;
  } catch (const Failure& failure) {
    Error error = failure.error();
    const auto* const caused = dynamic_cast<const CausedByValue*>(&failure);
    const RefusedValue* const refused = caused == nullptr ? nullptr : caused->refused();
    if (refused == nullptr || !error.fields().empty() || is_server_error(error.status())) {
      return error;
    }
    auto member = detail::app::find_member(request, *caused);
    if (member) {
      error.with_field(std::move(member->pointer), refused->detail)
          .with_status(member->is_of_body ? error.status() : kBadRequest);
    }
    return error;
  } catch (...) {
    return thrown_error();
  }
}

/// where  source line of the route
void log_failure(LogSink& log, const Request& request, const Error& error,
                 const std::source_location& where) {
  std::string line(to_text(request.method()));
  line.append(" ").append(request.path());
  if (const auto* id = request.find<RequestId>()) {
    line.append(" (").append(id->text()).append(")");
  }
  line.append(" failed: ").append(error.cause().empty() ? error.detail() : error.cause());
  if (where.line() != 0) {
    const std::string_view file = where.file_name();
    line.append(" (route at ").append(file.substr(file.rfind('/') + 1));
    line.append(":").append(std::to_string(where.line())).append(")");
  }
  log.write(LogLevel::error, line);
}

}  // namespace

Error thrown_error() {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure.error();
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& exception) {
    return Error::internal(exception.what());
  } catch (...) {
    return Error::internal("an exception that is not a std::exception was thrown");
  }
}

std::string_view reason_of(const Error& error) noexcept {
  return error.cause().empty() ? std::string_view(error.detail()) : error.cause();
}

void render_thrown(LogSink* log, const Request& request, Response& response,
                   const std::source_location& where) noexcept {
  try {
    const Error error = render_or_refuse(response, error_for(request));
    if (!is_server_error(error.status())) {
      return;
    }
    if (const auto* const note = request.find<FailureNote>()) {
      note->take(where);
    }
    if (log != nullptr) {
      log_failure(*log, request, error, where);
    }
  } catch (...) {
    response.reset();
    response.set_status(kInternalServerError);
  }
}

}  // namespace eider
