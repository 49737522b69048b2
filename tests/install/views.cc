// A page whose template the installed command has compiled.
#include "page.h"

#include <eider/eider.h>
#include <eider/views.h>

#include "pages/hello.html.h"

int main() {
  eider::App app;
  eider::add_views(app);
  app.get("/", [](eider::State<eider::Views> views) { return views->page(outside::Hello{"you"}); });
  return eider::render_view(outside::Hello{"<you>"}) == "<p>Hello, &lt;you&gt;!</p>\n" ? 0 : 1;
}
