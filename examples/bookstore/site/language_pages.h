// Choosing a language, which a cookie remembers.
// Must not know what is said in it.
#pragma once

#include <eider/eider.h>

namespace bookstore {

/// POST /language. Without TLS the cookie goes in the clear.
void add_language_choice(eider::Routes& app, bool is_behind_tls);

}  // namespace bookstore
