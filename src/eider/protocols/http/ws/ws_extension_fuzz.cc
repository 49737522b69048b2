// Extension lists: accepted lists can be written and read again; responses to offers are accepted.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/ws/deflate_offer.h"

namespace {

using namespace eider;
using namespace eider::ws;
using eider::ws::Extension;

std::string spelled(const Extension& extension) {
  std::string text(extension.name);
  for (const ExtensionParam& param : extension.params) {
    ensure(is_token(param.name), "names are tokens");
    ensure(!param.value.has_value() || is_token(*param.value), "values are tokens");
    text.append("; ").append(param.name);
    text.append(param.value.has_value() ? "=" : "").append(param.value.value_or(""));
  }
  return text;
}

std::string spelled(const std::vector<Extension>& list) {
  std::string text;
  for (const Extension& extension : list) {
    text += (text.empty() ? "" : ", ") + spelled(extension);
  }
  return text;
}

void check_response_to(const std::vector<Extension>& offers) {
  const auto choice = choose_deflate(offers, {});
  if (!choice.has_value()) {
    return;
  }
  const auto response = read_extension_list(choice->response);
  ensure(response.has_value(), "an answer is a list");
  const auto terms = check_deflate_response(*response, {.own_window_bits_min = 8});
  ensure(terms.has_value() && *terms == choice->terms, "both ends come to the same terms");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  const auto list = read_extension_list(in);
  if (!list.has_value()) {
    return 0;
  }
  const std::string text = spelled(*list);
  const auto again = read_extension_list(text);
  ensure(again.has_value() && spelled(*again) == text, "what was read can be written");
  check_response_to(*list);
  return 0;
}
