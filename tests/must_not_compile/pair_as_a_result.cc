// expect: a pair or tuple cannot be described: use a struct with named members
#include <eider/eider.h>
#include <utility>
#ifdef FIXED
struct Point { int x; int y; };
#else
using Point = std::pair<int, int>;
#endif
void routes(eider::App& app) { app.get("/", [] { return Point{1, 2}; }); }
