// expect: write State<T> for what app.state
#include <eider/eider.h>
class Store { int notes_ = 0; };
#ifdef FIXED
void routes(eider::App& app) { app.get("/", [](eider::State<Store>) { return "ok"; }); }
#else
void routes(eider::App& app) { app.get("/", [](Store&) { return "ok"; }); }
#endif
