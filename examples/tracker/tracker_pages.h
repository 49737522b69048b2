// What the pages show, and what is typed into them.
// Must not ask the database: pages.cc does.
#pragma once

#include <eider/forms/forms.h>

#include "tracker.h"

namespace tracker {

struct LogOut {};

struct EditForm {
  int version;
  Title title;
  Text body = kEmpty;
  Priority priority = 3;
  IssueState state;

  static constexpr FieldText kForm[] = {{.member = "version", .control = Control::hidden},
                                        {.member = "body", .control = Control::textarea}};
};

/// What pages for users have in common.
struct Frame {
  std::string user;
  FormView logout;

  static constexpr bool kIsProvided = true;
};

/// issue  which the form is about
struct FormPage {
  std::string title;
  FormView form;
  std::optional<Frame> frame = {};
  std::optional<Issue> issue = {};
};

struct ListPage {
  std::vector<Issue> issues;
  PageLinks pages;
  Filter wanted;
  std::optional<Frame> frame;
};

}  // namespace tracker
