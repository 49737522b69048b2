// expect: Put std::optional inside
#include <eider/eider.h>
using namespace eider;
struct Paging { std::optional<int> page; };
#ifdef FIXED
void routes(App& app) { app.get("/", [](Query<Paging>) { return "ok"; }); }
#else
void routes(App& app) { app.get("/", [](std::optional<Query<Paging>>) { return "ok"; }); }
#endif
