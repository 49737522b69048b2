// The data of the pages.
// Layering: must not know the library; the struct of a page is plain.
#pragma once

#include <string>
#include <vector>

namespace guestbook {

struct Entry {
  std::string name;
  std::string text;
  std::string home;
};

struct BookPage {
  std::string title = "Guest book";
  std::vector<Entry> entries;
};

/// A custom filter: {{ name | initial }}.
inline std::string initial(std::string_view name) {
  return std::string(name.substr(0, 1));
}

}  // namespace guestbook
