// Checks that the file storage of the installed package links with all its dependencies.
#include <eider/storage.h>

int main() {
  const eider::PutOptions options{.bytes_max = 5};
  decltype(&eider::serve_resumable_uploads) volatile serve = &eider::serve_resumable_uploads;
  return options.bytes_max == 5 && serve != nullptr && eider::check_storage_key("a/b") ? 0 : 1;
}
