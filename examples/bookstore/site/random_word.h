// Words that nobody guesses, and that come but once.
// Must not be told where it is stored: who keeps one says what it is good for.
#pragma once

#include <string>

namespace bookstore {

/// Twenty letters and digits: 100 bits, from the kernel.
[[nodiscard]] std::string random_word();

}  // namespace bookstore
