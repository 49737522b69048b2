// The data of admin pages, which templates show.
// Layering: must not contain HTML; admin_html.h and custom templates make it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eider/protocols/http/page_links.h"
#include "eider/web/views/form_view.h"
#include "eider/web/views/rendering.h"

namespace eider {

struct AdminLink {
  std::string address;
  std::string text;
  bool is_current = false;
};

/// Data of all admin pages.
///
/// title        of the page
/// site         name of all pages: AdminOptions::title
/// home         URL of the first page
/// stylesheets  URLs
/// user         name of the user
/// navigation   the resources that the user may view, and the audit log
/// message      result of the last change; empty: none
/// token_name, token  CSRF token for forms; empty if the app does not use csrf
struct AdminFrame {
  std::string title;
  std::string site;
  std::string home;
  std::vector<std::string> stylesheets;
  std::string user;
  std::vector<AdminLink> navigation;
  std::string message;
  std::string token_name;
  std::string token;
};

/// A button that sends a form with POST to `address`.
struct AdminButton {
  std::string address;
  std::string label;
};

/// Old and new value of a column in the audit log.
///
/// member  name of the column; empty: not of a column, such as the result of an action. Nothing: of
///         an older version of the library
/// field   label of the column
struct AdminChange {
  std::optional<std::string> member;
  std::string field;
  std::string old_value;
  std::string new_value;
};

/// An entry of the audit log.
///
/// when     "2026-11-29 14:05:00", in UTC
/// user     name that the user had; anyone may be able to choose it
/// user_id  AdminUser::id
/// action   "create", "change", "delete", "export", or the name of a custom action
/// record   key of the record
/// label    name of the record
/// address  of the record; empty if it cannot be shown
struct AdminLogEntry {
  std::int64_t id = 0;
  std::string when;
  std::string user;
  std::string user_id;
  std::string action;
  std::string resource;
  std::string record;
  std::string label;
  std::string address;
  std::vector<AdminChange> changes;
};

struct AdminHomePage {
  AdminFrame frame;
  std::vector<AdminLink> resources;
  std::vector<AdminLogEntry> latest;
};

/// A cell of a list, or a value of a record.
///
/// label    name of the column
/// address  of the related record; empty: no link
struct AdminCell {
  std::string label;
  std::string text;
  std::string address;
};

struct AdminRow {
  std::string key;
  std::string label;
  std::string address;
  std::vector<AdminCell> cells;
};

/// The head of a column.
///
/// address  sorts by the column; empty: it cannot be sorted
/// sorted   "ascending", "descending" or empty, as aria-sort
struct AdminColumn {
  std::string label;
  std::string address;
  std::string sorted;
};

/// A list of records.
///
/// address      of the list, for the form with search and filters (GET)
/// is_searched  there is a search field `q`
/// sort         value of the hidden field `sort`; empty: none
/// filters      fields of the form with search and filters
/// total        number of records as text: "12", "more than 100000"
/// add_address, export_address  empty if the user may not
/// actions      on the records whose checkboxes `key` are set; empty: no checkboxes
struct AdminListPage {
  AdminFrame frame;
  std::string resource;
  std::string address;
  bool is_searched = false;
  std::string search;
  std::string sort;
  std::vector<FieldView> filters;
  std::vector<AdminColumn> columns;
  std::vector<AdminRow> rows;
  std::string total;
  PageLinks pages;
  std::string add_address;
  std::string export_address;
  std::vector<AdminButton> actions;
};

/// A record, or the form for a new one.
///
/// key      empty: a new one
/// form     without fields: the user may not change it
/// values   of members that are not in the form
/// related  lists of records that refer to this one
/// actions  on this record; each form has a hidden field `key`
/// history  the last entries of the audit log about it
struct AdminRecordPage {
  AdminFrame frame;
  std::string resource;
  std::string list_address;
  std::string key;
  FormView form;
  std::vector<AdminCell> values;
  std::vector<AdminLink> related;
  std::vector<AdminButton> actions;
  std::vector<AdminLogEntry> history;
};

/// Records of another table that refer to those to be deleted.
///
/// count    as text: "3", "more than 10000"
/// effect   "deleted", "cleared" (the reference becomes empty) or "prevents"
/// address  of the list; empty: no link
struct AdminDependents {
  std::string title;
  std::string count;
  std::string effect;
  std::string address;
};

/// The question before a deletion. The form has the field `key` for each record, and `confirm` and
/// `_seen`.
///
/// seen           value of the field `_seen`: without it, nothing is deleted
/// is_prevented   there are records that prevent the deletion
/// is_incomplete  possibly more records than `dependents` refer to them
/// is_changed     a deletion was confirmed, but something has changed since
struct AdminDeletePage {
  AdminFrame frame;
  std::string resource;
  std::string list_address;
  std::string address;
  std::vector<AdminRow> records;
  std::vector<AdminDependents> dependents;
  std::string seen;
  bool is_prevented = false;
  bool is_incomplete = false;
  bool is_changed = false;
};

/// The audit log.
///
/// older  URL of the next page; empty: this is the last one
struct AdminLogPage {
  AdminFrame frame;
  std::vector<AdminLogEntry> entries;
  std::string older;
};

/// Returns the HTML of a page.
template <class P>
using AdminTemplate = std::function<std::string(const P& page)>;

/// Templates of an application. Empty ones: the pages of the library.
struct AdminTemplates {
  AdminTemplate<AdminHomePage> home = {};
  AdminTemplate<AdminListPage> list = {};
  AdminTemplate<AdminRecordPage> record = {};
  AdminTemplate<AdminDeletePage> remove = {};
  AdminTemplate<AdminLogPage> log = {};
};

/// Returns a function that uses a compiled template, `{# page eider::AdminListPage #}`. Include the
/// header of the template ("list.html.h") in the calling file.
template <Viewed P>
[[nodiscard]] AdminTemplate<P> admin_view() {
  return [](const P& page) { return render_view(page); };
}

// The pages of the library, for templates that extend them.

[[nodiscard]] std::string admin_html(const AdminHomePage& page);
[[nodiscard]] std::string admin_html(const AdminListPage& page);
[[nodiscard]] std::string admin_html(const AdminRecordPage& page);
[[nodiscard]] std::string admin_html(const AdminDeletePage& page);
[[nodiscard]] std::string admin_html(const AdminLogPage& page);

}  // namespace eider
