// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::jwt_page {

extern const std::vector<JwtKey> keys;
extern const JwtKey key;
extern const std::string pem, secret, json;
extern const std::int64_t now;
std::string add_note(Body content);

}  // namespace docs::jwt_page
