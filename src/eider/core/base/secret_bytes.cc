#include "eider/core/base/secret_bytes.h"

#include <sys/random.h>

#include <cerrno>
#include <system_error>

namespace eider {

std::string secret_bytes(std::size_t bytes) {
  std::string secret(bytes, '\0');
  // A signal may end a call for more than 256 bytes early (getrandom(2)).
  for (std::size_t filled = 0; filled < bytes;) {
    const ssize_t got = getrandom(secret.data() + filled, bytes - filled, 0);
    if (got >= 0) {
      filled += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "getrandom");
    }
  }
  return secret;
}

}  // namespace eider
