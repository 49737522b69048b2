#include "eider/data/db/sql_lexer.h"

#include <gtest/gtest.h>

#include <string>

namespace eider::db::detail {
namespace {

const SqlDialect kDialects[] = {kSqliteSql, kPostgresSql, kMariadbSql, kAnySql, kUnquotedSql};

/// Returns "select|1", without whitespace and comments; a token that is not closed ends with "…".
std::string cut(std::string_view sql, const SqlDialect& dialect) {
  std::string all;
  for (const SqlToken& token : tokens_of(sql, dialect)) {
    all += (all.empty() ? "" : "|") + std::string(token.text) + (token.is_closed ? "" : "…");
  }
  return all;
}

static_assert(SqlLexer("e'\\''x", kPostgresSql).next().text.size() == 5);

TEST(SqlLexer, finds_words_numbers_parameters_and_single_bytes) {
  for (const SqlDialect& dialect : kDialects) {
    EXPECT_EQ(cut("Select a_1,\t$12 + 1.5e3\r\n>= \xC3\xA4$1", dialect),
              "Select|a_1|,|$12|+|1|.|5e3|>|=|\xC3\xA4$1");
    EXPECT_EQ(cut("", dialect), "");
    EXPECT_EQ(cut(" \n\v\f", dialect), "");
  }
  EXPECT_EQ(SqlLexer("$64", kAnySql).next().number(), 64);
  EXPECT_EQ(SqlLexer("$99999999999999999999", kAnySql).next().number(), 9999);
}

TEST(SqlLexer, ends_quotes_as_each_dialect_does) {
  for (const SqlDialect& dialect : {kSqliteSql, kPostgresSql, kMariadbSql, kAnySql}) {
    EXPECT_EQ(cut("'it''s' x \"a\"\"b\" '\\' y '", dialect), "'it''s'|x|\"a\"\"b\"|'\\'|y|'…");
  }
  EXPECT_EQ(cut("'a b'", kUnquotedSql), "'|a|b|'");
  EXPECT_EQ(cut("`a b`", kPostgresSql), "`|a|b|`");
  for (const SqlDialect& dialect : {kSqliteSql, kMariadbSql, kAnySql}) {
    EXPECT_EQ(cut("`a``b` `", dialect), "`a``b`|`…");
  }
  EXPECT_EQ(cut("[a b]] [", kSqliteSql), "[a b]|]|[…");
  EXPECT_EQ(cut("[a b]", kAnySql), "[|a|b|]");
}

TEST(SqlLexer, knows_the_quotes_of_postgresql) {
  for (const SqlDialect& dialect : {kPostgresSql, kAnySql}) {
    EXPECT_EQ(cut("$$ ' $$ $a_1$ $b$ $a_1$ $\xC3\xA4$;$\xC3\xA4$", dialect),
              "$$ ' $$|$a_1$ $b$ $a_1$|$\xC3\xA4$;$\xC3\xA4$");
    EXPECT_EQ(cut("a$b$ $c $1$d$;$d$ x", dialect), "a$b$|$|c|$1|$d$;$d$|x");
    EXPECT_EQ(cut("$a$ $b$", dialect), "$a$ $b$…");
    EXPECT_EQ(cut("e'\\'' E'a''\\'' fe'\\' x", dialect), "e'\\''|E'a''\\''|fe|'\\'|x");
    EXPECT_EQ(cut("e'a' \n '\\'' 'b'", dialect), "e'a' \n '\\''|'b'");
    EXPECT_EQ(cut("e'\\", dialect), "e'\\…");
    EXPECT_EQ(cut("e'\\'", dialect), "e'\\'…");
  }
  for (const SqlDialect& dialect : {kSqliteSql, kMariadbSql}) {
    EXPECT_EQ(cut("e'\\' $$ x", dialect), "e|'\\'|$|$|x");
  }
}

TEST(SqlLexer, ends_comments_as_each_dialect_does) {
  for (const SqlDialect& dialect : kDialects) {
    EXPECT_EQ(cut("a -- ' b\nc /* ; ' */ d /**/ - - e / * f", dialect), "a|c|d|-|-|e|/|*|f");
    EXPECT_FALSE(SqlLexer("/*/", dialect).next().is_closed);
    EXPECT_FALSE(SqlLexer("/* *", dialect).next().is_closed);
    EXPECT_TRUE(SqlLexer("-- a", dialect).next().is_closed);
  }
  for (const SqlDialect& dialect : {kPostgresSql, kAnySql}) {
    EXPECT_EQ(cut("/* a /* b */ c */ d", dialect), "d");
    EXPECT_EQ(cut("a # b", dialect), "a|#|b");
  }
  for (const SqlDialect& dialect : {kSqliteSql, kMariadbSql}) {
    EXPECT_EQ(cut("/* a /* b */ c", dialect), "c");
  }
  EXPECT_EQ(cut("a # it's\nb #", kMariadbSql), "a|b");
}

TEST(SqlLexer, takes_two_minus_signs_of_mariadb_for_a_comment_only_before_a_blank) {
  for (const SqlDialect& dialect : {kSqliteSql, kPostgresSql, kAnySql}) {
    EXPECT_EQ(cut("5--1;\na", dialect), "5|a");
  }
  EXPECT_EQ(cut("5--1; b\na--'c;'--", kMariadbSql), "5|-|-|1|;|b|a|-|-|'c;'");
  EXPECT_EQ(cut("5---1 --- 2;\n--/* ; */b", kMariadbSql), "5|-|-|-|1|-|-|-|b");
  for (const char after : {' ', '\t', '\r', '\v', '\f', '\0', '\x01', '\x7F'}) {
    EXPECT_EQ(cut(std::string("a--") + after + ";b\nc", kMariadbSql), "a|c") << int{after};
  }
  EXPECT_EQ(cut("a--\n;b", kMariadbSql), "a|;|b");
  for (const char* after : {"!", "~", "\xC2\xA0", "#", ";"}) {
    EXPECT_FALSE(SqlLexer(std::string("--") + after, kMariadbSql).next().is_blank()) << after;
  }
}

TEST(SqlLexer, counts_the_brackets_around_a_token) {
  std::string depths;
  for (const SqlToken& token : tokens_of("a (b '(' (c)) ) d", kAnySql)) {
    depths += std::to_string(token.depth);
  }
  EXPECT_EQ(depths, "0011121000");
}

TEST(SqlLexer, skips_plain_bytes_up_to_the_token_that_begins_with_a_special_one) {
  const auto after_skip = [](std::string_view sql) {
    SqlLexer lexer(sql, kAnySql);
    lexer.skip_plain();
    return std::string(lexer.rest());
  };
  EXPECT_EQ(after_skip("select a, b + 1 from t"), "");
  EXPECT_EQ(after_skip("where a$1"), "a$1");
  EXPECT_EQ(after_skip("where E'\\''"), "E'\\''");
  EXPECT_EQ(after_skip("where a = $1"), "$1");
  EXPECT_EQ(after_skip("$1"), "$1");
  EXPECT_EQ(after_skip("a ;"), ";");
  EXPECT_EQ(after_skip("a ? b"), "? b");
}

TEST(SqlLexer, loses_no_byte_wherever_a_text_is_cut) {
  const std::string all =
      "select 'a''b' \"c\"\"d\" [e] `f``g` e'\\'' \n 'h' $$i$$ $j$k$j$ l$m $1 1.5e3 "
      "-- n\n# o\n/* p /* q */ r */ /*! s */ ; ? \xC3\xA4 \\";
  for (std::size_t end = 0; end <= all.size(); ++end) {
    for (std::size_t begin = 0; begin <= end; begin += 7) {
      const std::string_view sql = std::string_view(all).substr(begin, end - begin);
      for (const SqlDialect& dialect : kDialects) {
        std::string whole;
        for (SqlLexer lexer(sql, dialect); !lexer.is_at_end();) {
          const SqlToken token = lexer.next();
          ASSERT_FALSE(token.text.empty());
          whole += token.text;
          ASSERT_TRUE(token.is_closed || lexer.is_at_end());
        }
        EXPECT_EQ(whole, sql);
      }
    }
  }
}

}  // namespace
}  // namespace eider::db::detail
