// expect: eider: a handler has at most one parameter for the request body
#include <eider/eider.h>
struct A {
  int a;
};
struct B {
  int b;
};
#ifdef FIXED
void routes(eider::App& app) { app.post("/", [](eider::Json<A> a) { return a->a; }); }
#else
void routes(eider::App& app) {
  app.post("/", [](eider::Json<A> a, eider::Json<B> b) { return a->a + b->b; });
}
#endif
