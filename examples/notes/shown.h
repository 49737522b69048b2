// The data of the pages.
// Layering: must not know requests or the database.
#pragma once

#include <eider/eider.h>
#include <eider/forms.h>
#include <eider/pagination.h>
#include <eider/sessions.h>

#include <array>

#include "store.h"

namespace notes {

/// Data for the layout of every page.
struct Frame {
  std::string style;
  std::string script;
  std::string icon;
  std::uint64_t requests = 0;
  std::vector<eider::Flash> messages;
};

/// form  above the list: empty, or with errors
struct ListPage {
  Frame frame;
  Listing listing;
  eider::PageLinks pages;
  eider::FormView form;
  std::array<int, 5> stars = {1, 2, 3, 4, 5};
};

struct EditPage {
  Frame frame;
  std::string title;
  eider::FormView form;
};

struct AbsentPage {
  Frame frame;
};

}  // namespace notes
