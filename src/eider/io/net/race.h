// Connects to the first of several addresses that answers (Happy Eyeballs, RFC 8305).
// Must not resolve names.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/address.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/net_error.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider::net {

/// "Connection Attempt Delay … recommended to be 250 milliseconds" (RFC 8305, section 5).
inline constexpr Duration kAttemptDelay = std::chrono::milliseconds(250);
/// No more of a name's addresses are tried.
inline constexpr std::size_t kAddressesMax = 16;

/// The families by turns, IPv6 first (RFC 8305, section 4); at most kAddressesMax.
[[nodiscard]] std::vector<std::string> interleaved(const std::vector<std::string>& v6,
                                                   const std::vector<std::string>& v4);

/// Begins with the first address, and with each further one when `delay` has passed or one has
/// failed. The others are given up when one is connected.
///
/// errors   timed_out at `due`; else what the last one failed with
[[nodiscard]] Task<Result<Descriptor, NetError>> race(std::vector<Address> addresses, Instant due,
                                                      Duration delay = kAttemptDelay);

}  // namespace eider::net
