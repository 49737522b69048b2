#include "eider/protocols/http/page_links.h"

#include <algorithm>
#include <utility>

#include "eider/core/base/url.h"

namespace eider {

namespace {

/// The number of links on each side of the current page.
constexpr std::int64_t kNeighbours = 2;

}  // namespace

std::string link_header(const PageLinks& links) {
  std::string field;
  const auto add = [&field](std::string_view relation, const std::string& address) {
    if (!address.empty()) {
      field += (field.empty() ? "<" : ", <") + address + ">; rel=\"";
      field.append(relation).append("\"");
    }
  };
  add("first", links.first);
  add("prev", links.previous);
  add("next", links.next);
  add("last", links.last);
  return field;
}

std::string with_in_query(std::string_view query, std::string_view name, std::string_view value) {
  std::string made;
  const auto add = [&made](std::string_view key, std::string_view text) {
    made += made.empty() ? '?' : '&';
    made.append(percent_encode(key)).append("=").append(percent_encode(text));
  };
  QueryReader pairs(query);
  while (const auto pair = pairs.next()) {
    const auto key = percent_decode(pair->name, Plus::space);
    const auto text = percent_decode(pair->value, Plus::space);
    if (key && text && *key != name) {
      add(*key, *text);
    }
  }
  if (!value.empty()) {
    add(name, value);
  }
  return made.empty() ? "?" : made;
}

PageLinks numbered_pages(std::string_view query, std::int64_t page, std::int64_t per_page,
                         std::int64_t total) {
  PageLinks links;
  links.page = page;
  links.page_count = std::max<std::int64_t>(1, total / per_page + (total % per_page != 0 ? 1 : 0));
  const auto address = [query](std::int64_t number) {
    return with_in_query(query, "page", std::to_string(number));
  };
  links.first = address(1);
  links.last = address(links.page_count);
  // On a page after the last one, the previous page is the last one.
  links.previous = page > 1 ? address(std::min(page - 1, links.page_count)) : "";
  links.next = page < links.page_count ? address(page + 1) : "";
  std::int64_t before = 0;
  const auto add = [&](std::int64_t number) {
    if (number <= before || number > links.page_count) {
      return;
    }
    if (number > before + 1) {
      links.pages.push_back({});
    }
    links.pages.push_back({number, address(number), number == page});
    before = number;
  };
  add(1);
  for (std::int64_t near = page - kNeighbours; near <= page + kNeighbours; ++near) {
    add(near);
  }
  add(links.page_count);
  return links;
}

}  // namespace eider
