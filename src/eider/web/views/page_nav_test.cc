#include "eider/web/views/page_nav.h"

#include <gtest/gtest.h>

namespace eider {
namespace {

TEST(PageNav, tells_which_page_it_is_and_leaves_far_ones_out) {
  EXPECT_EQ(page_nav(numbered_pages("q=%3Cb%3E", 5, 10, 95)).html(),
            "<nav class=\"pager\" aria-label=\"Pages\">\n"
            "<a rel=\"prev\" href=\"?q=%3Cb%3E&amp;page=4\">Previous</a>\n"
            "<a href=\"?q=%3Cb%3E&amp;page=1\">1</a>\n<span>…</span>\n"
            "<a href=\"?q=%3Cb%3E&amp;page=3\">3</a>\n<a href=\"?q=%3Cb%3E&amp;page=4\">4</a>\n"
            "<span aria-current=\"page\">5</span>\n"
            "<a href=\"?q=%3Cb%3E&amp;page=6\">6</a>\n<a href=\"?q=%3Cb%3E&amp;page=7\">7</a>\n"
            "<span>…</span>\n<a href=\"?q=%3Cb%3E&amp;page=10\">10</a>\n"
            "<a rel=\"next\" href=\"?q=%3Cb%3E&amp;page=6\">Next</a>\n</nav>\n");
  EXPECT_EQ(page_nav(numbered_pages("", 1, 10, 0)).html(), "");
  EXPECT_EQ(page_nav(numbered_pages("", 1, 10, 10)).html(), "");
  EXPECT_EQ(numbered_pages("", 9, 10, 11).previous, "?page=2");
}

TEST(PageNav, takes_no_address_that_runs) {
  PageLinks links;
  links.next = "javascript:alert(1)";
  links.next_text = "<b>";
  links.label = "\"><script>";
  EXPECT_EQ(page_nav(links).html(),
            "<nav class=\"pager\" aria-label=\"&quot;&gt;&lt;script&gt;\">\n"
            "<a rel=\"next\" href=\"about:invalid#refused\">&lt;b&gt;</a>\n</nav>\n");
}

}  // namespace
}  // namespace eider
