// What handlers and middleware throw, as an answer and a line in the log.
// Must not decide where that is caught.
#pragma once

#include <source_location>
#include <string_view>

#include "eider/core/base/log.h"
#include "eider/core/base/result.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"

namespace eider {

/// What is thrown just now, as the Error that it is to the client. To be called while one handles
/// it.
[[nodiscard]] Error thrown_error();
/// What the log says of it: its cause, or what clients are told where it has none.
[[nodiscard]] std::string_view reason_of(const Error& error) noexcept;

/// Makes what a handler has thrown an answer and, where it is our fault, a line in the log, and a
/// note for the development page where that has asked for one. To be called while one handles it.
///
/// where  the route was added; of the app's own calls, nowhere
void render_thrown(LogSink* log, const Request& request, Response& response,
                   const std::source_location& where = {}) noexcept;

}  // namespace eider
