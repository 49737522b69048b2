// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::streaming_page {

struct Row {
  std::int64_t id;
};
struct Receipt {
  std::uint64_t bytes;
};
std::string to_csv(const std::vector<Row>& rows);
std::string render();
Task<Html> render_home();

}  // namespace docs::streaming_page
