// The forms of an HTML page, with the values that a browser would send.
// Layering: must not run scripts or validate the HTML.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eider::detail::testkit {

/// names   of all controls, those too that are not sent as they are: an empty box
/// fields  what is sent where nothing is typed, in the page's order
/// files   names of the controls that take files
struct HtmlForm {
  std::string action;
  bool is_get = true;
  bool is_multipart = false;
  std::vector<std::string> names;
  std::vector<std::pair<std::string, std::string>> fields;
  std::vector<std::string> files;
};

/// Buttons are left out, as none is pressed, and so is what is disabled.
///
/// source  HTML, 4.10.22.4, "Constructing the entry list"
[[nodiscard]] std::vector<HtmlForm> forms_of(std::string_view page);

}  // namespace eider::detail::testkit
