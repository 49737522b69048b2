// Fuzzes stored hashes: accepted ones must be within the limits, and have only one form.
#include <cstdint>
#include <string_view>

#include "eider/auth/passwords/argon2_hash.h"
#include "eider/core/base/assert.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  using namespace eider::detail::passwords;
  constexpr Argon2Cost kMax{.memory_kib = 128 * 1024, .passes = 16, .lanes = 16};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto hash = parse_argon2_hash(text, kMax)) {
    ensure(is_cost_within(hash->cost, kMax), "a cost is within what is allowed");
    ensure(hash->salt.size() >= kSaltBytesMin && hash->salt.size() <= kSaltBytesMax &&
               hash->tag.size() >= kTagBytesMin && hash->tag.size() <= kTagBytesMax,
           "salt and tag have their sizes");
    ensure(to_text(*hash) == text, "there is one spelling");
  }
  return 0;
}
