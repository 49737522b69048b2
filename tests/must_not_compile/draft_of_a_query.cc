// expect: Draft needs the type of a request body: Draft<Json<T>> or Draft<Form<T>>
#include <eider/eider.h>
struct Find {
  int page;
};
#ifdef FIXED
using Given = eider::Draft<eider::Form<Find>>;
#else
using Given = eider::Draft<eider::Query<Find>>;
#endif
void routes(eider::App& app) { app.post("/", [](Given) {}); }
