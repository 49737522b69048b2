// How the adapter answers with text that is there already.
// Must not be used for what lithium's own JSON can write.
#pragma once

#include <lithium_http_server.hh>

#include <string_view>

#include "symbols.h"

namespace arena {

inline void answer(li::http_response& response, std::string_view type, std::string_view body) {
  response.set_header("Content-Type", type);
  response.body.assign(body);
  response.write();
}

}  // namespace arena
