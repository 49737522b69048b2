// expect: a pair or tuple has no description: write a struct, which names its parts
#include <eider/eider.h>
#include <utility>
#ifdef FIXED
struct Point { int x; int y; };
#else
using Point = std::pair<int, int>;
#endif
void routes(eider::App& app) { app.get("/", [] { return Point{1, 2}; }); }
