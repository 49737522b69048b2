// The HTML of admin pages. Every text is escaped by Html::text and Html::attribute.

#include <initializer_list>
#include <string>
#include <string_view>

#include "eider/core/base/html.h"
#include "eider/web/admin/admin_pages.h"
#include "eider/web/views/page_nav.h"

namespace eider {

namespace {

class AdminHtml {
 public:
  AdminHtml& raw(std::string_view html) {
    html_ += html;
    return *this;
  }
  AdminHtml& text(std::string_view text) { return raw(escape_html(text)); }
  AdminHtml& attribute(std::string_view name, std::string_view value) {
    return raw(" ").raw(name).raw("=\"").text(value).raw("\"");
  }
  AdminHtml& link(std::string_view address, std::string_view label) {
    return raw("<a").attribute("href", address).raw(">").text(label).raw("</a>");
  }
  AdminHtml& hidden(std::string_view name, std::string_view value) {
    return raw("<input type=\"hidden\"").attribute("name", name).attribute("value", value).raw(">");
  }
  AdminHtml& token(const AdminFrame& frame) {
    return frame.token_name.empty() ? *this : hidden(frame.token_name, frame.token);
  }
  [[nodiscard]] std::string take() { return std::move(html_); }

  AdminHtml& begin(const AdminFrame& frame) {
    raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    text(frame.title).raw(" – ").text(frame.site).raw("</title>\n");
    raw("<link rel=\"icon\" href=\"data:,\">\n");
    for (const std::string& each : frame.stylesheets) {
      raw("<link rel=\"stylesheet\"").attribute("href", each).raw(">\n");
    }
    raw("</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n"
        "<header>\n<p><a class=\"site\"");
    attribute("href", frame.home).raw(">").text(frame.site).raw("</a> <span>");
    text(frame.user).raw("</span></p>\n<nav aria-label=\"Administration\">\n<ul>\n");
    for (const AdminLink& each : frame.navigation) {
      raw("<li><a").attribute("href", each.address);
      raw(each.is_current ? " aria-current=\"page\">" : ">").text(each.text).raw("</a></li>\n");
    }
    raw("</ul>\n</nav>\n</header>\n<main id=\"content\" tabindex=\"-1\">\n");
    if (!frame.message.empty()) {
      raw("<p class=\"message\" role=\"status\">").text(frame.message).raw("</p>\n");
    }
    return raw("<h1>").text(frame.title).raw("</h1>\n");
  }
  [[nodiscard]] std::string end() {
    raw("</main>\n</body>\n</html>\n");
    return take();
  }

  AdminHtml& cell(const AdminCell& cell) {
    return cell.address.empty() ? text(cell.text) : link(cell.address, cell.text);
  }

  void log(const std::vector<AdminLogEntry>& entries) {
    raw("<ul class=\"log\">\n");
    for (const AdminLogEntry& each : entries) {
      raw("<li><span class=\"muted\">").text(each.when).raw(" UTC, ").text(each.user);
      raw(" (")
          .text(each.user_id)
          .raw("):</span> ")
          .text(each.action)
          .raw(" ")
          .text(each.resource)
          .raw(" ");
      each.address.empty() ? text(each.label) : link(each.address, each.label);
      changes(each.changes);
      raw("</li>\n");
    }
    raw("</ul>\n");
  }

 private:
  void changes(const std::vector<AdminChange>& changes) {
    if (changes.empty()) {
      return;
    }
    raw("\n<details><summary>Values</summary>\n<ul>\n");
    for (const AdminChange& each : changes) {
      raw("<li>").text(each.field).raw(": ");
      if (!each.old_value.empty()) {
        raw("<del>").text(each.old_value).raw("</del> ");
      }
      raw("<ins>").text(each.new_value).raw("</ins></li>\n");
    }
    raw("</ul>\n</details>");
  }

  std::string html_;
};

void add_filters(AdminHtml& html, const AdminListPage& page) {
  if (!page.is_searched && page.filters.empty()) {
    return;
  }
  html.raw("<form class=\"filters\" method=\"get\" role=\"search\"")
      .attribute("action", page.address)
      .raw(">\n");
  if (page.is_searched) {
    html.raw(
        "<div class=\"field\"><label for=\"q\">Search</label>"
        "<input id=\"q\" name=\"q\" type=\"search\" maxlength=\"100\"");
    html.attribute("value", page.search).raw("></div>\n");
  }
  for (const FieldView& each : page.filters) {
    html.raw(views::row(each).html());
  }
  if (!page.sort.empty()) {
    html.hidden("sort", page.sort);
  }
  html.raw("<div class=\"bar\"><button>Show</button> ").link(page.address, "Reset");
  html.raw("</div>\n</form>\n");
}

void add_heads(AdminHtml& html, const AdminListPage& page) {
  html.raw("<thead><tr>");
  if (!page.actions.empty()) {
    html.raw("<th scope=\"col\" class=\"box\"><span class=\"skip\">Select</span></th>");
  }
  for (const AdminColumn& each : page.columns) {
    html.raw("<th scope=\"col\"");
    if (!each.sorted.empty()) {
      html.attribute("aria-sort", each.sorted);
    }
    html.raw(">");
    each.address.empty() ? html.text(each.label) : html.link(each.address, each.label);
    html.raw(each.sorted.empty() ? "" : each.sorted == "ascending" ? " ↑" : " ↓").raw("</th>");
  }
  html.raw("</tr></thead>\n");
}

void add_row(AdminHtml& html, const AdminListPage& page, const AdminRow& row) {
  html.raw("<tr>");
  if (!page.actions.empty()) {
    html.raw("<td class=\"box\"><input type=\"checkbox\" name=\"key\"");
    html.attribute("value", row.key).attribute("aria-label", "Select " + row.label).raw("></td>");
  }
  for (const AdminCell& each : row.cells) {
    const bool is_first = &each == &row.cells.front();
    html.raw(is_first ? "<th scope=\"row\">" : "<td>");
    if (is_first) {
      html.link(row.address, each.text.empty() ? row.label : each.text);
    } else {
      html.cell(each);
    }
    html.raw(is_first ? "</th>" : "</td>");
  }
  html.raw("</tr>\n");
}

void add_buttons(AdminHtml& html, const std::vector<AdminButton>& buttons) {
  html.raw("<div class=\"bar\">");
  for (const AdminButton& each : buttons) {
    html.raw("<button").attribute("formaction", each.address).raw(">").text(each.label);
    html.raw("</button>\n");
  }
  html.raw("</div>\n");
}

}  // namespace

std::string admin_html(const AdminHomePage& page) {
  AdminHtml html;
  html.begin(page.frame).raw("<ul>\n");
  for (const AdminLink& each : page.resources) {
    html.raw("<li>").link(each.address, each.text).raw("</li>\n");
  }
  html.raw("</ul>\n");
  if (!page.latest.empty()) {
    html.raw("<h2>Latest changes</h2>\n");
    html.log(page.latest);
  }
  return html.end();
}

std::string admin_html(const AdminListPage& page) {
  AdminHtml html;
  html.begin(page.frame);
  html.raw("<div class=\"bar\">");
  if (!page.add_address.empty()) {
    html.raw("<a class=\"button\"").attribute("href", page.add_address).raw(">New</a>\n");
  }
  html.raw("<a class=\"button\"").attribute("href", page.export_address);
  html.raw(">Export CSV</a></div>\n");
  add_filters(html, page);
  html.raw("<form method=\"post\"").attribute("action", page.address).raw(">\n");
  html.token(page.frame);
  html.raw("<div class=\"table\" tabindex=\"0\" role=\"region\"")
      .attribute("aria-label", page.frame.title)
      .raw("><table>\n<caption>");
  html.text(page.total).raw(page.total == "1" ? " record" : " records").raw("</caption>\n");
  add_heads(html, page);
  html.raw("<tbody>\n");
  for (const AdminRow& each : page.rows) {
    add_row(html, page, each);
  }
  html.raw("</tbody>\n</table></div>\n");
  if (!page.actions.empty() && !page.rows.empty()) {
    html.raw("<p class=\"hint\">With the selected records:</p>\n");
    add_buttons(html, page.actions);
  }
  html.raw("</form>\n").raw(page_nav(page.pages).html());
  return html.end();
}

std::string admin_html(const AdminRecordPage& page) {
  AdminHtml html;
  html.begin(page.frame);
  if (!page.form.fields.empty()) {
    html.raw("<div id=\"record\">").raw(views::form(page.form).html()).raw("</div>\n");
  }
  if (!page.values.empty()) {
    html.raw("<dl>\n");
    for (const AdminCell& each : page.values) {
      html.raw("<dt>").text(each.label).raw("</dt><dd>").cell(each).raw("</dd>\n");
    }
    html.raw("</dl>\n");
  }
  if (!page.related.empty()) {
    html.raw("<h2>Related records</h2>\n<ul>\n");
    for (const AdminLink& each : page.related) {
      html.raw("<li>").link(each.address, each.text).raw("</li>\n");
    }
    html.raw("</ul>\n");
  }
  if (!page.actions.empty()) {
    html.raw("<h2>Actions</h2>\n<form method=\"post\"").attribute("action", page.list_address);
    html.raw(">\n").token(page.frame).hidden("key", page.key);
    add_buttons(html, page.actions);
    html.raw("</form>\n");
  }
  if (!page.history.empty()) {
    html.raw("<h2>History</h2>\n");
    html.log(page.history);
  }
  return html.end();
}

std::string admin_html(const AdminDeletePage& page) {
  AdminHtml html;
  html.begin(page.frame);
  if (page.is_changed) {
    html.raw(
        "<p class=\"error\" role=\"alert\">Nothing was deleted, because these records, or those "
        "that refer to them, have changed since you opened the page. Check them again.</p>\n");
  }
  html.raw(page.is_prevented
               ? "<p class=\"error\" role=\"alert\">These records cannot be deleted, because other "
                 "records refer to them:</p>\n"
               : "<p>Do you want to delete these records?</p>\n");
  html.raw("<form method=\"post\"").attribute("action", page.address).raw(">\n");
  html.token(page.frame).hidden("confirm", "yes").hidden("_seen", page.seen).raw("\n<ul>\n");
  for (const AdminRow& each : page.records) {
    html.raw("<li>").hidden("key", each.key).link(each.address, each.label).raw("</li>\n");
  }
  html.raw("</ul>\n");
  if (!page.dependents.empty() || page.is_incomplete) {
    html.raw("<h2>Records that refer to them</h2>\n<ul id=\"dependents\">\n");
    for (const AdminDependents& each : page.dependents) {
      html.raw("<li>");
      each.address.empty() ? html.text(each.title) : html.link(each.address, each.title);
      html.raw(": ").text(each.count);
      html.raw(each.effect == "deleted"   ? ", will be deleted, too"
               : each.effect == "cleared" ? ", will not refer to them any more"
                                          : ", must be changed or deleted first");
      html.raw("</li>\n");
    }
    html.raw(page.is_incomplete ? "<li>and possibly more</li>\n" : "");
    html.raw("</ul>\n");
  }
  html.raw("<div class=\"bar\">");
  if (!page.is_prevented) {
    html.raw("<button class=\"primary\">Delete</button> ");
  }
  html.link(page.list_address, "Back to the list").raw("</div>\n</form>\n");
  return html.end();
}

std::string admin_html(const AdminLogPage& page) {
  AdminHtml html;
  html.begin(page.frame);
  if (page.entries.empty()) {
    html.raw("<p>There are no entries.</p>\n");
  }
  html.log(page.entries);
  if (!page.older.empty()) {
    html.raw("<p>").link(page.older, "Older entries").raw("</p>\n");
  }
  return html.end();
}

}  // namespace eider
