#include "eider/data/db/migrations/migrations.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "eider/testkit/temp_directory.h"

namespace eider {
namespace {

std::string refused(std::vector<MigrationFile> files) {
  const auto made = make_migrations(files);
  return made ? "accepted" : made.error();
}

TEST(Migrations, are_read_in_the_order_of_their_numbers) {
  const std::vector<MigrationFile> files = {{"0010_more.sql", "select 10"},
                                            {"0002_less.sql", "select 2"},
                                            {"0002_less.down.sql", "select -2"}};
  const Migrations made = make_migrations(files).value();
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(made[0].name, "0002_less");
  EXPECT_EQ(made[0].down->sql, "select -2");
  EXPECT_EQ(made[1].number, 10);
  EXPECT_EQ(made[1].checksum.size(), 64U);
  EXPECT_FALSE(made[1].down.has_value());
}

TEST(Migrations, are_the_same_whatever_a_checkout_makes_of_line_ends) {
  const std::vector<MigrationFile> unix_ends = {{"1_a.sql", "select 1;\nselect 2;\n"}};
  const std::vector<MigrationFile> dos_ends = {{"1_a.sql", "select 1;\r\nselect 2;\r\n"}};
  EXPECT_EQ(make_migrations(unix_ends)->at(0).checksum, make_migrations(dos_ends)->at(0).checksum);
  EXPECT_EQ(make_migrations(dos_ends)->at(0).up.sql, unix_ends[0].text);
}

TEST(Migrations, say_by_a_line_how_they_are_run) {
  const std::vector<MigrationFile> files = {
      {"1_a.sql", "-- eider: no transaction\r\ncreate index concurrently i on t(a)"},
      {"2_b.sql", "  -- eider:  no foreign keys \nselect 1"},
      {"4_d.sql", "--Eider: No transaction\n-- eiderdown, eider's\nselect 1"},
      {"3_c.sql", "select 1"}};
  const Migrations made = make_migrations(files).value();
  EXPECT_FALSE(made[0].up.is_in_transaction);
  EXPECT_TRUE(made[0].up.holds_foreign_keys);
  EXPECT_FALSE(made[1].up.holds_foreign_keys);
  EXPECT_TRUE(made[2].up.is_in_transaction);
  EXPECT_FALSE(made[3].up.is_in_transaction);
}

TEST(Migrations, may_begin_with_a_byte_order_mark) {
  const auto sql_of = [](std::string_view text) {
    return make_migrations(std::vector<MigrationFile>{{"1_a.sql", text}}).value()[0].up.sql;
  };
  EXPECT_EQ(sql_of("\xEF\xBB\xBFselect 1"), sql_of("select 1"));
  EXPECT_FALSE(make_migrations(std::vector<MigrationFile>{{"1_a.sql", "\xEF\xBB\xBF"}}));
}

TEST(Migrations, tell_each_fault_with_file_key_and_mend) {
  struct Case {
    std::vector<MigrationFile> files;
    std::string_view told;
  };
  const std::string nul("select 1;\0", 10);
  const std::string wide("s\0e\0", 4);
  const Case cases[] = {
      {{{"1_a.sql", ""}}, "1_a.sql: [empty] the file contains no statement: write one"},
      {{{"1_a.sql", " -- nothing\n;\n"}}, "1_a.sql: [empty]"},
      {{{"1_a.sql", "\xFF\xFEs\0e\0"}}, "1_a.sql:1: [encoding] the file is UTF-16 text"},
      {{{"1_a.sql", nul}}, "1_a.sql:1: [encoding] the file contains a NUL"},
      {{{"1_a.sql", wide}}, "1_a.sql:1: [encoding] the file contains a NUL"},
      {{{"1_a.sql", "select\n'\xE4'"}}, "1_a.sql:2: [encoding] the file is not valid UTF-8"},
      {{{"1_a.sql", "-- eider: no transactions\nselect 1"}},
       "1_a.sql: [marker] '-- eider: no transactions' is not a valid"},
      {{{"1_a.sql", "-- eider no transaction\nselect 1"}}, "1_a.sql: [marker] '-- eider no tr"},
      {{{"1_a.sql", "--  EIDER: off\nselect 1"}}, "1_a.sql: [marker] '--  EIDER: off' is"},
      {{{"1_a.sql", "/* eider: no foreign keys */\nselect 1"}}, "1_a.sql: [marker] '/* eider: no"},
      {{{"1_a.sql", "pragma foreign_keys = off;\nselect 1"}},
       "1_a.sql:1: [transaction] this statement has no effect in a transaction: remove it, and add "
       "'-- eider: "},
      {{{"1_a.sql", "select 1;\nPragma main.foreign_keys(0)"}}, "1_a.sql:2: [transaction] this"},
      {{{"1_a.sql", "-- eider: no transaction\npragma foreign_keys = 0"}},
       "1_a.sql:2: [transaction] this statement would affect everything after it"},
      {{{"1_a.sql", "select 1"}, {"1_a.down.sql", "select 1;\nend"}},
       "1_a.down.sql:2: [transaction] the migration already runs in a transaction"},
      {{{"1_a.sql", "select 1;\nend;"}}, "1_a.sql:2: [transaction] the migration already runs"},
      {{{"1_a.sql", "delimiter //\ncreate procedure p() begin select 1; end //\ndelimiter ;\n"}},
       "1_a.sql:1: [delimiter] DELIMITER is a command of the mariadb client"},
      {{{"1_a.sql", "select 1;\n\nDELIMITER ;;\ncreate procedure p() begin select 1; end ;;\n"}},
       "1_a.sql:3: [delimiter]"},
      {{{"1_a.sql", "-- '\nDelimiter $$\ncreate procedure p() begin select 1; end $$\n"}},
       "1_a.sql:2: [delimiter]"},
      {{{"1_a.SQL", "select 1"}}, "1_a.SQL: [name]"},
      {{{"1_a.sql", "select 1"}, {"0001_b.sql", "select 1"}},
       "0001_b.sql: [duplicate] 1_a.sql has the same number: give the newer file the next number"},
      {{{"1_a.sql", "select 1"}, {"1_b.down.sql", "select 1"}},
       "1_b.down.sql: [no_up] there is no 1_b.sql for this file to undo"},
      {{{"first.sql", "select 1"}},
       "first.sql: [name] the file name must look like 0001_what_it_does"},
      {{{"1.sql", "select 1"}}, "1.sql: [name]"},
      {{{"1_.sql", "select 1"}}, "1_.sql: [name]"},
      {{{"0_a.sql", "select 1"}}, "0_a.sql: [name]"},
      {{{"1_a b.sql", "select 1"}}, "1_a b.sql: [name]"},
      {{{"1234567890123456789_a.sql", "select 1"}}, "1234567890123456789_a.sql: [name]"},
      {{{".sql", "select 1"}}, ".sql: [name]"},
      {{{".down.sql", "select 1"}}, ".down.sql: [name]"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(refused(one.files).substr(0, one.told.size()), one.told);
  }
}

TEST(Migrations, may_have_bodies_of_either_database_with_begin_and_end) {
  const std::vector<MigrationFile> files = {
      {"1_a.sql", "create trigger t after insert on a\nbegin\nupdate b set c = 1;\nend;\n"},
      {"2_b.sql",
       "create function f() returns void as $$\ndeclare a int;\nbegin\na := 1;\n"
       "end;\n$$ language plpgsql;\n"},
      {"4_d.sql", "create procedure p()\nbegin\nif 1 then\nselect 1;\nend if;\ncommit;\nend;\n"},
      {"3_c.sql",
       "savepoint a;\nrelease a;\nprepare end_of as select 1;\npragma foreign_key_check"}};
  const auto read = make_migrations(files);
  EXPECT_TRUE(read.has_value()) << read.error();
}

TEST(Migrations, are_files_and_nothing_is_passed_over_that_may_be_one) {
  const TempDirectory directory;
  std::filesystem::create_directory(directory.path() / "0001_a.sql");
  const std::string where = directory.path().string();
  EXPECT_EQ(read_migrations(where).error().substr(0, 25), "0001_a.sql: [unreadable] ");
  std::filesystem::remove(directory.path() / "0001_a.sql");
  ASSERT_EQ(::mkfifo((directory.path() / "0002_b.sql").c_str(), 0600), 0);
  EXPECT_EQ(read_migrations(where).error().substr(0, 25), "0002_b.sql: [unreadable] ");
  std::filesystem::remove(directory.path() / "0002_b.sql");
  std::ofstream(directory.path() / "0003_c.SQL") << "select 1;\n";
  EXPECT_EQ(read_migrations(where).error().substr(0, 18), "0003_c.SQL: [name]");
}

TEST(Migrations, tell_all_faults_at_once) {
  const std::string told = refused({{"1_a.sql", ""}, {"x.sql", "select 1"}});
  EXPECT_TRUE(told.starts_with("1_a.sql: [empty]"));
  EXPECT_NE(told.find("\nx.sql: [name]"), std::string::npos);
}

TEST(Migrations, are_the_sql_files_of_a_directory) {
  const TempDirectory directory;
  std::ofstream(directory.path() / "0001_a.sql") << "select 1;\n";
  std::ofstream(directory.path() / "README.md") << "Not one.";
  std::ofstream(directory.path() / ".0002_b.sql") << "An editor's.";
  EXPECT_EQ(read_migrations(directory.path().string())->size(), 1U);
  const auto missing = read_migrations((directory.path() / "none").string());
  EXPECT_NE(missing.error().find("[unreadable]"), std::string::npos);
}

}  // namespace
}  // namespace eider
