// The measuring service's page for people: a session, a form with its token, a template.
// Must not be tuned for the arena: it is what the documentation shows.
#pragma once

#include <eider/eider.h>
#include <eider/forms.h>

#include <string>

namespace arena {

struct NewNote {
  eider::Sized<std::string, 1, 200> title;
  eider::Email email;
  eider::Bounded<int, 0, 5> stars = 3;
};

struct FormPage {
  int visits;
  eider::FormView form;
};

/// GET /form  the form, and how often its session was here before
void add_form_page(eider::App& app);

}  // namespace arena
