// expect: Extension<T> for a value from a guard
#include <eider/eider.h>
using namespace eider;
struct Caller { int id; };
#ifdef FIXED
template <> struct eider::Extract<Caller> : eider::ExtractExtension<Caller> {};
#endif
void routes(App& app) { app.get("/", [](const Caller& caller) { return caller.id; }); }
