// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::html_forms_page {

struct Store {
  Task<bool> has(std::string title);
  template <class T>
  Task<> add(T note);
};

}  // namespace docs::html_forms_page
