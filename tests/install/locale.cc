// Localized numbers and times with the installed component.
#include <eider/eider.h>
#include <eider/locale.h>

int main() {
  eider::App app;
  eider::add_languages(app, {.texts = {{"de", {}}}});
  app.get("/", [](const eider::Locale& here) { return here.number(1234.5); });
  const eider::Locale here("de", "Europe/Berlin");
  const bool is_said = here.decimal("1234.50", {.decimals_min = 2}) == "1.234,50" &&
                       here.time(eider::Locale::Moment()) == "01:00";
  return is_said ? 0 : 1;
}
