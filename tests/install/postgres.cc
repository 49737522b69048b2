#include <eider/postgres.h>

#include <cstdio>

int main() {
  const auto good = eider::try_open_postgres("postgres://me@localhost/notes");
  const auto bad = eider::try_open_postgres("postgres://me@localhost/notes?colour=blue");
  if (!bad) {
    std::printf("%s\n", bad.error().c_str());
  }
  return good && !bad ? 0 : 1;
}
