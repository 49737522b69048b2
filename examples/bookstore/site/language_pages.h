// The page to choose a language, which is stored in a cookie.
// Layering: must not know the texts.
#pragma once

#include <eider/eider.h>

namespace bookstore {

/// Adds POST /language. Without TLS, the cookie is not secure.
void add_language_choice(eider::Routes& app, bool is_behind_tls);

}  // namespace bookstore
