// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::http_client_page {

extern HttpClient& client;
extern const std::string etag, token, url;
void use(std::string_view piece);
Task<std::string> next_piece();

}  // namespace docs::http_client_page
