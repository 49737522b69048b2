// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::crud_page {

struct User {
  std::string name;
  static constexpr bool kIsProvided = true;
};
struct Writer : User {};
extern const LeftOut notes;  // db::Records<Note>

}  // namespace docs::crud_page
