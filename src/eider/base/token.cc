#include "eider/base/token.h"

#include "eider/base/base64.h"
#include "eider/base/secret_bytes.h"
#include "eider/base/sha256.h"

namespace eider {

std::string random_token(std::size_t bytes) {
  return to_base64url(secret_bytes(bytes));
}

std::string sha256_hex(std::string_view text) {
  return to_hex(to_view(sha256(text)));
}

}  // namespace eider
