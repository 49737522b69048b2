// An issue tracker for a team: an API and pages, attachments, live events, a webhook.
//   mkdir -p uploads && ./tracker --port 8080, and open http://localhost:8080/signup
// ./tracker --port 8080 --admin ann makes the user ann an administrator. It does not start before
// that user has signed up. Administrators change issues at /admin.
#include "tracker.h"

int main(int argc, char** argv) {
  return eider::run_app<tracker::Options>("tracker", argc, argv, [](const tracker::Options& own) {
    eider::App app = tracker::make_app(own, tracker::open_database(own.database));
    app.observe(eider::access_log(eider::AccessFormat::json));
    return app;
  });
}
