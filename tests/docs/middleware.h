// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::middleware_page {

struct Users {
  Task<Result<Identity>> log_in(BasicCredentials given);
};
struct Counter {
  void add();
};
bool is_ours(std::string_view origin);
bool note(std::string_view address);
std::string log_in(Body content);
std::string make_report();
std::string add_note(Body content);

}  // namespace docs::middleware_page
