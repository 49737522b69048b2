#include "eider/app/handlers/thrown.h"

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "eider/app/handlers/failure_note.h"
#include "eider/app/handlers/middleware.h"
#include "eider/app/handlers/refused_member.h"
#include "eider/app/handlers/respond.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/refused_value.h"
#include "eider/protocols/http/status.h"

namespace eider {

namespace {

constexpr int kBadRequest = 400;

/// An error may carry a field that no response may have, such as one with a line's end in it: a
/// client whose text it holds could write fields of the response.
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

/// The error of what is being handled, with the member of the request whose value caused it.
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

/// where  of the route
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
