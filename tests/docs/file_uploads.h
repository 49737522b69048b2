// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::file_uploads_page {

struct Attachment {
  std::string file;
  std::string name;
};

}  // namespace docs::file_uploads_page
