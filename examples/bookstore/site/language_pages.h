// The page to choose a language, which is stored in a cookie.
// Layering: must not know the texts.
#pragma once

#include <eider/eider.h>

namespace bookstore {

/// POST /language. Without TLS the cookie goes in the clear.
void add_language_choice(eider::Routes& app, bool is_behind_tls);

}  // namespace bookstore
