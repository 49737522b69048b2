// Checks that the dashboard of the installed package links with all its dependencies.
#include <eider/dashboard.h>

int main() {
  eider::App app;
  eider::serve_dashboard(app);
  return app.make_service() ? 0 : 1;
}
