// expect: a struct validates itself with `void check(eider::ValidationErrors& errors) const`
#include <eider/eider.h>
struct Stay {
  int from;
  int to;
#ifdef FIXED
  void check(eider::ValidationErrors& errors) const {
#else
  void check(eider::ValidationErrors& errors) {
#endif
    if (to < from) {
      errors.add(to, "must not be before the first day");
    }
  }
};
void routes(eider::App& app) { app.post("/", [](eider::Json<Stay> stay) { return *stay; }); }
