#include <eider/sqlite.h>

#include <cstdio>

int main() {
  const auto good = eider::try_open_sqlite(":memory:", {.schema = "create table a(b text)"});
  const auto bad = eider::try_open_sqlite(":memory:", {.schema = "create tabel a(b text)"});
  if (!bad) {
    std::printf("%s\n", bad.error().c_str());
  }
  return good && !bad ? 0 : 1;
}
