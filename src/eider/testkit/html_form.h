// The forms of an HTML page, with the values that a browser would send.
// Layering: must not run scripts or validate the HTML.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eider::detail::testkit {

/// names   of all controls, also of those that are not sent, such as a checkbox that is not ticked
/// fields  the values that are sent without input, in the order of the page
/// files   names of the file inputs
struct HtmlForm {
  std::string action;
  bool is_get = true;
  bool is_multipart = false;
  std::vector<std::string> names;
  std::vector<std::pair<std::string, std::string>> fields;
  std::vector<std::string> files;
};

/// Returns the forms. Buttons and disabled controls are omitted, because no button is pressed.
///
/// source  HTML, 4.10.22.4, "Constructing the entry list"
[[nodiscard]] std::vector<HtmlForm> forms_of(std::string_view page);

}  // namespace eider::detail::testkit
