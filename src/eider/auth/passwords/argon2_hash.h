// A stored password hash: argon2 in the PHC string format.
// Layering: must not run argon2, and must not accept larger parameters than its reader allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eider {

/// Cost of computing one hash. The default is OWASP's for argon2id: 19 MiB, two passes, one lane;
/// about 20 ms of one core.
///
/// memory_kib  at least 8 for each lane
/// passes      at least 1
/// lanes       at least 1; one thread computes all of them
/// source      RFC 9106, section 3.1; OWASP Password Storage Cheat Sheet
struct Argon2Cost {
  std::uint32_t memory_kib = 19 * 1024;
  std::uint32_t passes = 2;
  std::uint32_t lanes = 1;

  friend bool operator==(const Argon2Cost&, const Argon2Cost&) = default;
};

namespace detail::passwords {

/// argon2d is not supported, because its time depends on the password (RFC 9106, section 1).
enum class Argon2Variant : std::uint8_t { argon2i, argon2id };

/// salt  kSaltBytesMin <= bytes <= kSaltBytesMax
/// tag   kTagBytesMin <= bytes <= kTagBytesMax
struct Argon2Hash {
  Argon2Variant variant = Argon2Variant::argon2id;
  Argon2Cost cost;
  std::string salt;
  std::string tag;

  friend bool operator==(const Argon2Hash&, const Argon2Hash&) = default;
};

inline constexpr std::size_t kSaltBytesMin = 8;
inline constexpr std::size_t kSaltBytesMax = 64;
inline constexpr std::size_t kTagBytesMin = 16;
inline constexpr std::size_t kTagBytesMax = 64;

/// Returns whether argon2 supports this cost, and it is within `max`.
[[nodiscard]] bool is_cost_within(const Argon2Cost& cost, const Argon2Cost& max) noexcept;

/// Reads "$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>", base64 without padding.
///
/// errors  nothing for another form (another order, leading zeros, more parameters, another
///         version), for a cost above `max`, and for a salt or tag that does not have the sizes
///         above
/// source  the PHC string format; RFC 9106
[[nodiscard]] std::optional<Argon2Hash> parse_argon2_hash(std::string_view text,
                                                          const Argon2Cost& max);

/// Formats the hash for parse_argon2_hash. Pre: sizes as above.
[[nodiscard]] std::string to_text(const Argon2Hash& hash);

}  // namespace detail::passwords
}  // namespace eider
