// Where the other pages of a list are: for templates, and as a Link field.
// Must not know how a list is parted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eider {

/// number  0: a gap, in which others are left out
struct PageLink {
  std::int64_t number = 0;
  std::string address;
  bool is_current = false;
};

/// Addresses are relative to the page's own, "?page=2&q=tea", or empty where there is no such page.
///
/// page, page_count  0 where pages are not numbered
/// pages             the first, the last, and those around this one
/// label, previous_text, next_text  what people read
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

/// `<?page=1>; rel="prev", <?page=3>; rel="next"`; empty where there is nowhere to go (RFC 8288).
[[nodiscard]] std::string link_field(const PageLinks& links);

/// The query with another value of one name, or without it where the value is empty; what others
/// are there stays, encoded anew: "?q=tea&page=2".
[[nodiscard]] std::string with_in_query(std::string_view query, std::string_view name,
                                        std::string_view value);

/// Pre: per_page >= 1.
[[nodiscard]] PageLinks numbered_pages(std::string_view query, std::int64_t page,
                                       std::int64_t per_page, std::int64_t total);

}  // namespace eider
