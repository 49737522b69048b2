// Fuzzes forms: each field is accepted or rejected, and the page that shows the form again contains
// only the markup of the program.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/core/base/html.h"
#include "eider/web/forms/test_pages.h"

namespace {

using namespace eider;
namespace inner = forms::detail;

template <class T>
void show_again(const inner::TypedForm& typed) {
  const inner::FormShape& shape = inner::shape_of<T>();
  T value{};
  const auto faults = inner::fill(shape, &value, typed);
  ensure(faults.size() <= ValidationErrors::kMax, "faults are bounded");
  const FormView view = inner::view_again(shape, {}, {}, typed, faults);
  const std::string page = views::form(view).html();
  ensure(page.find("<script") == page.npos && page.find('\0') == page.npos, "text stays text");
  for (const FieldView& field : view.fields) {
    const bool is_typed = field.control == "input" || field.control == "textarea";
    ensure(!is_typed || page.contains(escape_html(field.value)), "what was typed is there");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  show_again<forms_test::Note>(inner::read_pairs(inner::shape_of<forms_test::Note>(), in, ""));
  const auto parts = inner::read_parts(inner::shape_of<forms_test::Photo>(),
                                       "multipart/form-data; boundary=x", in, "");
  if (parts) {
    show_again<forms_test::Photo>(*parts);
  }
  return 0;
}
