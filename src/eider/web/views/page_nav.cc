#include "eider/web/views/page_nav.h"

#include <string>

#include "eider/web/views/escape.h"

namespace eider {

namespace {

void add_link(std::string& out, std::string_view address, std::string_view text,
              std::string_view relation) {
  out += "<a";
  if (!relation.empty()) {
    out.append(" rel=\"").append(relation).append("\"");
  }
  out += " href=\"";
  views::append_url(out, address);
  out += "\">";
  views::append_html(out, text);
  out += "</a>\n";
}

}  // namespace

Markup page_nav(const PageLinks& links) {
  if (links.previous.empty() && links.next.empty()) {
    return {};
  }
  std::string out = "<nav class=\"pager\" aria-label=\"";
  views::append_html(out, links.label);
  out += "\">\n";
  if (!links.previous.empty()) {
    add_link(out, links.previous, links.previous_text, "prev");
  }
  for (const PageLink& page : links.pages) {
    if (page.number == 0) {
      out += "<span>…</span>\n";
    } else if (page.is_current) {
      out += "<span aria-current=\"page\">" + std::to_string(page.number) + "</span>\n";
    } else {
      add_link(out, page.address, std::to_string(page.number), "");
    }
  }
  if (!links.next.empty()) {
    add_link(out, links.next, links.next_text, "next");
  }
  return Markup(out + "</nav>\n");
}

void views::add_page_filters(FilterSet& filters) {
  filters.add("page_nav", page_nav);
}

}  // namespace eider
