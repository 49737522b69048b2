// The data of the pages.
// Layering: must not know the library; the struct of a page is plain.
#pragma once

#include <string>
#include <vector>

namespace shown {

struct Message {
  std::string kind;
  std::string text;
};

struct Input {
  std::string name;
  std::string label;
  std::string type = "text";
  std::string completed = "off";
};

/// A form: all of this program's pages are one, but for the first. With `reads_token` it takes the
/// token out of the address's fragment.
struct FormPage {
  std::string title;
  std::string action;
  std::string button;
  std::vector<Input> inputs;
  bool reads_token = false;
  std::vector<Message> messages = {};
};

struct HomePage {
  std::string title = "Accounts";
  std::string email;  // of who is logged in
  std::vector<Message> messages = {};
};

}  // namespace shown
