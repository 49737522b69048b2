// Statements that a request asks again and again, in development: one for each record of a list.
// Must not stand in production: it remembers what each request has asked.
#pragma once

#include <memory>

#include "eider/app/handlers/middleware.h"
#include "eider/core/base/log.h"

namespace eider {

struct RepeatedStatements {
  /// The same statement, whatever its values, asked more often by one request is told of.
  int times_max = 10;
  /// Null: standard error.
  std::shared_ptr<LogSink> log = nullptr;
};

/// Tells of a route that asks for a list's parts one by one (N+1): once, with the statement.
///
///     if (own.development) {              // an option of one's own: --development
///       app.use(repeated_statements());
///     }
///
/// It counts from the handler's begin on, as long as databases alone are waited for: what is asked
/// behind a sleep or a call of a client is not seen. Records::load asks once for all.
[[nodiscard]] Around repeated_statements(RepeatedStatements options = {});

}  // namespace eider
