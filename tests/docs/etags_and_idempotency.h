// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::etags_and_idempotency_page {

struct Note {
  int id;
  std::string title;
  int version;
  std::chrono::sys_seconds changed;
};
struct Notes {
  Note read(int id);
  std::unique_lock<std::mutex> lock(int id);
};
struct Order {
  int id;
};
struct Orders {
  std::vector<Order> all();
};
extern const Note issue;
Response logo();
std::vector<Note> list_notes();
std::string layout(const std::string& title, const std::string& detail);
std::string lost_page(const ErrorPage& error);

}  // namespace docs::etags_and_idempotency_page
