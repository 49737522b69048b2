// Links to the other pages of a list: for templates, and as a Link header.
// Layering: must not know how a list is split into pages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eider {

/// number  0: a gap for omitted pages
struct PageLink {
  std::int64_t number = 0;
  std::string address;
  bool is_current = false;
};

/// Links to the other pages of a list. URLs are relative to the current page, "?page=2&q=tea", or
/// empty if there is no such page.
///
/// page, page_count  0 if pages are not numbered
/// pages             the first, the last, and those around the current one
/// label, previous_text, next_text  texts for users
struct PageLinks {
  std::int64_t page = 0;
  std::int64_t page_count = 0;
  std::string first;
  std::string previous;
  std::string next;
  std::string last;
  std::vector<PageLink> pages;
  std::string label = "Pages";
  std::string previous_text = "Previous";
  std::string next_text = "Next";
};

/// Returns the Link header (RFC 8288): `<?page=1>; rel="prev", <?page=3>; rel="next"`; empty
/// without other pages.
[[nodiscard]] std::string link_header(const PageLinks& links);

/// Returns the query string with another value for one name, or without the name if the value is
/// empty; other parameters are kept, encoded again: "?q=tea&page=2".
[[nodiscard]] std::string with_in_query(std::string_view query, std::string_view name,
                                        std::string_view value);

/// Pre: per_page >= 1.
[[nodiscard]] PageLinks numbered_pages(std::string_view query, std::int64_t page,
                                       std::int64_t per_page, std::int64_t total);

}  // namespace eider
