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

/// A form: all pages of this program except the first one. With `reads_token`, it reads the token
/// from the fragment of the URL.
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
  std::string email;  // of the logged-in user
  std::vector<Message> messages = {};
};

}  // namespace shown
