#include "eider/io/runtime/net_error.h"

#include <array>
#include <cerrno>

namespace eider {

namespace {

struct Line {
  NetError error;
  std::string_view text;
  std::array<int, 4> numbers;
};

constexpr std::array kTable{
    Line{NetError::closed, "the connection was closed", {}},
    Line{NetError::reset,
         "the peer reset the connection",
         {ECONNRESET, EPIPE, ECONNABORTED, ENOTCONN}},
    Line{NetError::refused, "the connection was refused", {ECONNREFUSED, ENOENT}},
    Line{NetError::timed_out, "no response in time", {ETIMEDOUT}},
    Line{NetError::unreachable,
         "the host cannot be reached",
         {EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN}},
    Line{NetError::address_in_use, "the address is in use", {EADDRINUSE}},
    Line{NetError::address_unavailable,
         "the address does not belong to this machine",
         {EADDRNOTAVAIL}},
    Line{NetError::not_permitted, "not permitted", {EACCES, EPERM}},
    Line{NetError::too_many_open, "too many open files", {EMFILE, ENFILE}},
    Line{NetError::no_memory, "the kernel is out of memory", {ENOBUFS, ENOMEM}},
    Line{NetError::bad_address, "the address is not valid", {}},
    Line{NetError::not_supported,
         "the kernel does not support the operation",
         {EAFNOSUPPORT, EOPNOTSUPP, EPROTONOSUPPORT, ENOSYS}},
    Line{NetError::insecure, "TLS failed, or the data was tampered with", {}},
    Line{NetError::other, "the network failed", {}},
};

constexpr bool is_in_enum_order() {
  for (std::size_t index = 0; index < kTable.size(); ++index) {
    if (static_cast<std::size_t>(kTable[index].error) != index) {
      return false;
    }
  }
  return kTable.size() == static_cast<std::size_t>(NetError::other) + 1;
}
static_assert(is_in_enum_order());

bool names(const Line& line, int number) noexcept {
  for (const int known : line.numbers) {
    if (known == number) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string_view text(NetError error) noexcept {
  return kTable[static_cast<std::size_t>(error)].text;
}

NetError net_error(int number) noexcept {
  for (const Line& line : kTable) {
    if (number > 0 && names(line, number)) {
      return line.error;
    }
  }
  return NetError::other;
}

}  // namespace eider
