// expect: pass the member itself to add(), not a value computed from the member
#include <eider/eider.h>
struct Stay {
  int from;
  int to;
  void check(eider::Faults& faults) const {
#ifdef FIXED
    faults.add(to, "must not be before the first day");
#else
    faults.add(to - from, "must not be before the first day");
#endif
  }
};
void routes(eider::App& app) { app.post("/", [](eider::Json<Stay> stay) { return *stay; }); }
