// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::error_handling_page {

struct Order {
  int count;
};
struct Booking {
  int seats;
};
struct Bookings {
  Task<Result<int>> book(Booking booking);
};

}  // namespace docs::error_handling_page
