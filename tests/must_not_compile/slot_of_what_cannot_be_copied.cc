// expect: this type cannot be copied: use Extension<T>
#include <eider/eider.h>
using namespace eider;
struct Lease { std::unique_ptr<int> held; };
#ifdef FIXED
void routes(App& app) { app.get("/", [](Extension<Lease> lease) { return *lease->held; }); }
#else
template <> struct eider::Extract<Lease> : eider::ExtractExtension<Lease> {};
void routes(App& app) { app.get("/", [](const Lease& lease) { return *lease.held; }); }
#endif
