// Cross-origin resource sharing (CORS): the origins whose pages may read responses.
// Layering: not a protection; use cross_origin_protection or csrf for that.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "eider/app/handlers/middleware.h"

namespace eider {

struct Cors {
  /// Allowed origins: "https://app.example", or "*" for all, without cookies. Default: none.
  std::vector<std::string> origins = {};
  /// Allows pages to send cookies and passwords, and to read the responses.
  bool allows_credentials = false;
  std::vector<std::string> methods = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};
  /// Request headers that pages may set in addition to the default ones.
  std::vector<std::string> headers = {"Content-Type", "Authorization"};
  /// Response headers that pages may read in addition to the default ones.
  std::vector<std::string> exposed = {};
  /// Time for which a browser caches the result of a preflight request.
  std::chrono::seconds max_age = std::chrono::minutes(10);
};

/// Allows pages of these origins to read responses, and responds with 204 to preflight requests for
/// paths of the group. Errors and streams have the headers, too. Unless "*" is allowed, all
/// responses have `Vary: Origin`, so that a cache does not mix origins.
///
///     api.use(cors({.origins = {"https://app.example"}}));
///
/// Throws a Failure for "*" with credentials, for an invalid origin, and for "null", which any page
/// can send.
///
/// source  Fetch, "CORS protocol"
[[nodiscard]] Hook cors(Cors options);

}  // namespace eider
