// expect: pass the member itself to add(), not a value computed from the member
#include <eider/eider.h>
struct Stay {
  int from;
  int to;
  void check(eider::ValidationErrors& errors) const {
#ifdef FIXED
    errors.add(to, "must not be before the first day");
#else
    errors.add(to - from, "must not be before the first day");
#endif
  }
};
void routes(eider::App& app) { app.post("/", [](eider::Json<Stay> stay) { return *stay; }); }
