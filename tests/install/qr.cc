#include <eider/qr.h>

#include <cstdio>

int main() {
  const auto svg = eider::qr_svg("https://shop.example/");
  std::printf("%s\n", svg ? svg->c_str() : "");
  return svg && svg->starts_with("<svg") ? 0 : 1;
}
