// Random tokens, and the digest to store instead of a token.
// Layering: must not be used for passwords: those need a slow hash (passwords/).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eider {

/// The default length of a token: 256 bits, which are 43 characters.
inline constexpr std::size_t kTokenBytes = 32;

/// Returns a new random text that cannot be guessed: `bytes` random bytes of the kernel as letters,
/// digits, '-' and '_'. Use it for API keys, for links in mails and for one-time form keys.
///
///     const std::string token = random_token();        // shown to the user once
///     co_await db->exec("insert into tokens …", sha256_hex(token));
///
/// errors  throws std::system_error if the kernel cannot provide random bytes
[[nodiscard]] std::string random_token(std::size_t bytes = kTokenBytes);

/// Returns the SHA-256 digest of `text` as 64 hexadecimal digits. Store it instead of the token, so
/// that a stolen database contains nothing that opens an account.
///
/// source  FIPS 180-4
[[nodiscard]] std::string sha256_hex(std::string_view text);

}  // namespace eider
