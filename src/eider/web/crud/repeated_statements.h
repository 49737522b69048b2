// Logs statements that a request repeats for each record of a list (N+1), during development.
// Layering: must not be used in production; it records all statements of each request.
#pragma once

#include <memory>

#include "eider/app/handlers/middleware.h"
#include "eider/core/base/log.h"

namespace eider {

struct RepeatedStatements {
  /// Logs a statement that one request runs more often than this, with any values.
  int times_max = 10;
  /// Null: standard error.
  std::shared_ptr<LogSink> log = nullptr;
};

/// Logs routes that load the parts of a list one by one (N+1), once each, with the statement.
///
///     if (own.development) {              // a custom option: --development
///       app.use(repeated_statements());
///     }
///
/// Statements are counted from the start of the handler, as long as it only waits for databases:
/// those after a sleep or an HTTP request are not seen. Records::load avoids the problem.
[[nodiscard]] Middleware repeated_statements(RepeatedStatements options = {});

}  // namespace eider
