// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::templates_page {

struct Note {
  std::string title;
};
struct NotePage {
  Note note;
  std::vector<std::string> comments;
};
struct ListPage {
  std::vector<Note> notes;
};
struct Store {
  Note find(std::int64_t id);
  std::vector<std::string> comments(std::int64_t id);
  std::vector<Note> all();
};
namespace notes {
std::string shout(std::string_view text);
}

}  // namespace docs::templates_page
