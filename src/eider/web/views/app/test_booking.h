// For tests: translated pages with frames.
// Layering: must not be included outside of tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eider/auth/session/session.h"
#include "eider/web/languages/languages.h"

namespace booking {

enum class Stage : unsigned char { open, sold_out };

struct Guest {
  std::string name;
};

struct Frame {
  eider::Translator tr;
  std::optional<Guest> guest;
  std::vector<eider::Flash> messages;
};

struct BookingPage {
  std::string title;
  unsigned seats = 0;
  int seats_in_all = 0;
  std::vector<Stage> stages;
};

/// The struct of a mail: without a frame.
struct Letter {
  std::string name;
  eider::Translator tr;
};

}  // namespace booking
