// Turns exceptions of handlers and middleware into a response and a line in the log.
// Layering: must not decide where exceptions are caught.
#pragma once

#include <source_location>
#include <string_view>

#include "eider/core/base/log.h"
#include "eider/core/base/result.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"

namespace eider {

/// Returns the current exception as an Error. Call it while handling an exception.
[[nodiscard]] Error thrown_error();
/// Returns the text for the log: the cause, or the detail if there is no cause.
[[nodiscard]] std::string_view reason_of(const Error& error) noexcept;

/// Renders the current exception as a response and, for server errors, writes a line to the log and
/// a note for the development page. Call it while handling an exception.
///
/// where  the source line of the route; none for the app's own calls
void render_thrown(LogSink* log, const Request& request, Response& response,
                   const std::source_location& where = {}) noexcept;

}  // namespace eider
