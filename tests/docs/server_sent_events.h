// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::server_sent_events_page {

struct Order {
  std::string id;
};
struct Store {
  Task<std::vector<Order>> since(std::string_view id);
};
extern EventStream& events;
extern Store* store;
extern Topics* topics;

}  // namespace docs::server_sent_events_page
