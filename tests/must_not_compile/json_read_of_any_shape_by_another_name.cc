// expect: for a value of any shape, T is json::Value
#include <eider/eider.h>
#ifdef FIXED
auto document() { return eider::json::read<eider::json::Value>("{}"); }
#else
auto document() { return eider::json::parse("{}"); }
#endif
