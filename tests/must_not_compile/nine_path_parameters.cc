// expect: a_route_has_at_most_eight_path_parameters
#include <eider/eider.h>
#ifdef FIXED
void routes(eider::App& app) {
  app.get("/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}",
          [](int a, int, int, int, int, int, int, int) { return a; });
}
#else
void routes(eider::App& app) {
  app.get("/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}",
          [](int a, int, int, int, int, int, int, int, int) { return a; });
}
#endif
