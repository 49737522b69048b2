// expect: this struct has a C array, which cannot be described: use std::array
#include <eider/eider.h>
#include <array>
struct Id {
#ifdef FIXED
  std::array<std::uint8_t, 16> bytes;
#else
  std::uint8_t bytes[16];
#endif
};
void routes(eider::App& app) { app.get("/", [] { return Id{}; }); }
