// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::openapi_page {

bool open_by_day(Request& request, Response& response);
std::string book(Body content);
Result<Identity> caller(Header<"authorization"> field);
struct Caller {
  std::string key;

  static constexpr bool kIsProvided = true;
};
Result<Caller> caller_of(const std::string& token);

}  // namespace docs::openapi_page
