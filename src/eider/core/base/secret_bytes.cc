#include "eider/core/base/secret_bytes.h"

#include <sys/random.h>

#include <cerrno>
#include <system_error>

namespace eider {

std::string secret_bytes(std::size_t bytes) {
  std::string secret(bytes, '\0');
  // Once the kernel's pool is initialised, getrandom returns up to 256 bytes completely
  // (getrandom(2)).
  if (getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(bytes)) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  return secret;
}

}  // namespace eider
