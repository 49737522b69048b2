// Which other origins' pages may read answers (CORS).
// Must not be taken for protection: it lets in. What keeps out is cross_origin_protection, or csrf.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "eider/app/handlers/middleware.h"

namespace eider {

struct Cors {
  /// "https://app.example", or "*" for all, which then send no cookies. Nobody by default.
  std::vector<std::string> origins = {};
  /// Their pages send cookies and passwords along, and read what is answered to these.
  bool allows_credentials = false;
  std::vector<std::string> methods = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};
  /// What requests may carry beyond what any form can.
  std::vector<std::string> headers = {"Content-Type", "Authorization"};
  /// What of an answer's fields pages may read beyond the usual ones.
  std::vector<std::string> exposed = {};
  /// How long a browser remembers what a preflight was told.
  std::chrono::seconds max_age = std::chrono::minutes(10);
};

/// Lets pages of these origins read answers, and answers their preflights for paths of its group
/// with 204. Errors and streams have the fields too. `Vary: Origin` stands in all answers, so that
/// no cache gives one origin's answer to another's page.
///
///     api.use(cors({.origins = {"https://app.example"}}));
///
/// Throws a Failure for "*" with credentials and for "null", which any page can be.
///
/// source  Fetch, "CORS protocol"
[[nodiscard]] Hook cors(Cors options);

}  // namespace eider
