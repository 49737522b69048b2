// expect: this type cannot be described: use a plain struct
#include <eider/eider.h>
#ifdef FIXED
struct Plain { int a = 0; };
#else
class Plain { public: explicit Plain(int a) : a_(a) {} private: int a_; };
#endif
void routes(eider::App& app) { app.get("/", [] { return Plain{1}; }); }
