#include "eider/core/base/token.h"

#include "eider/core/base/base64.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/sha256.h"

namespace eider {

std::string random_token(std::size_t bytes) {
  return to_base64url(secret_bytes(bytes));
}

std::string sha256_hex(std::string_view text) {
  return to_hex(to_view(sha256(text)));
}

}  // namespace eider
