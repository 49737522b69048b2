// expect: Query<T> needs a struct
#include <eider/eider.h>
#ifdef FIXED
struct Paging { int page = 1; };
#else
using Paging = int;
#endif
void routes(eider::App& app) { app.get("/", [](eider::Query<Paging>) { return "ok"; }); }
