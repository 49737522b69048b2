// expect: a struct validates itself with `void check(eider::Faults& faults) const`
#include <eider/eider.h>
struct Stay {
  int from;
  int to;
#ifdef FIXED
  void check(eider::Faults& faults) const {
#else
  void check(eider::Faults& faults) {
#endif
    if (to < from) {
      faults.add(to, "must not be before the first day");
    }
  }
};
void routes(eider::App& app) { app.post("/", [](eider::Json<Stay> stay) { return *stay; }); }
