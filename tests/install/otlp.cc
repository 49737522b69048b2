// Checks that the exporter of the installed package links with all its dependencies.
#include <eider/otlp.h>

int main() {
  const eider::OtlpOptions options{.queue_max = 5};
  decltype(&eider::export_otlp) volatile add = &eider::export_otlp;
  return options.queue_max == 5 && add != nullptr ? 0 : 1;
}
