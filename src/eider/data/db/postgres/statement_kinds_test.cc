#include "eider/data/db/postgres/statement_kinds.h"

#include <gtest/gtest.h>

namespace eider::db::postgres {
namespace {

TEST(PlainReads, compute_and_leave_nothing_behind) {
  for (const char* sql :
       {"select 1",
        "  SELECT id, count(*) FROM books WHERE id IN ($1, $2) AND (year > 3) GROUP BY id",
        "select b.title from (select * from books) as b join a on (a.id = b.a) limit 3",
        "select coalesce(max(n), 0)::numeric(10, 2) from t where exists (select from u)",
        "select * from books where id = any($1) and created < now() - interval '1 day'",
        "select date_trunc('day', at), format, into_stock, for_sale from t"}) {
    EXPECT_TRUE(is_plain_read(sql)) << sql;
  }
}

TEST(PlainReads, are_none_where_anything_else_may_happen) {
  for (const char* sql : {"",
                          "insert into t values(1)",
                          "with d as (delete from t returning *) select * from d",
                          "select * from t for update",
                          "select * from t FOR\nSHARE",
                          "select '--' from t for update",
                          "select 1 /* */",
                          "select * into temp u from t",
                          "select set_config('app.tenant', $1, true)",
                          "select pg_notify($1, $2)",
                          "select \"set_config\"('a', 'b', true)",
                          "select pg_catalog.set_config('a', 'b', true)",
                          "select mine.count(3)",
                          "select set_config /**/ ('a', 'b', true)",
                          "select set_config\n  ('a', 'b', true)",
                          "select nextval('s')",
                          "select * from dequeue($1)",
                          "select f2(1)",
                          "select \xC3\xA4(1)",
                          "select pg_advisory_lock(1)",
                          "select ('s'::regclass).nextval",
                          "select ($1::bigint).pg_advisory_lock",
                          "select ('{1}'::bigint[])[1].pg_advisory_lock",
                          "select $1.pg_advisory_lock",
                          "select mine. count(3)",
                          "select mine .count(3)",
                          "select U&\"set!005fconfig\" uescape '!' ('app.tenant', '7', true)",
                          "select * from t where n = $$x$$for update",
                          "select $a$x$a$into temp u",
                          "select * from t limit 1for update",
                          "select * from t where n = $1for update"}) {
    EXPECT_FALSE(is_plain_read(sql)) << sql;
  }
}

}  // namespace
}  // namespace eider::db::postgres
