// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::pagination_page {

struct Note {
  std::int64_t id;
  std::string changed;
};
struct Store {
  Task<std::vector<Note>> some(std::int64_t count, std::int64_t offset);
  Task<std::int64_t> count();
  template <class Place>
  Task<std::vector<Note>> behind(std::optional<Place> place, std::int64_t count);
};
struct ListPage {
  std::vector<Note> notes;
  PageLinks pages;
};
extern const Paging paging;
extern Query<PageQuery<20, 100>> query;
extern State<Views> views;
extern std::vector<Note> notes;
extern const std::int64_t total;

}  // namespace docs::pagination_page
