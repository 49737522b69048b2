// run_app: options of the program and of its modules, and what is reported if the app is not made.
#include "eider/app/life/run_app.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "eider/app/settings/test_settings.h"
#include "eider/core/base/describes_only.h"
#include "eider/core/base/failure.h"
#include "eider/testkit/log_lines.h"

namespace eider {
namespace {

using testing::Directory;
using testing::Variable;

struct ShopOptions {
  std::string database_file = "shop.db";
  Bounded<int, 1, 9> copies = 3;
  Secret api_key = {};
};

struct Clerk {
  static constexpr std::string_view kName = "clerk";
  struct {
    bool at_start = true;
  } settings;
};

App make_shop(const ShopOptions& own) {
  App app;
  app.add_module<Clerk>();
  app.on_option("openapi", "print the document", [] { return std::string("{}"); });
  app.get(RuntimePattern{"/" + own.database_file + std::to_string(own.copies)}, [] { return "x"; });
  return app;
}

App make_no_shop(const ShopOptions& own) {
  throw Failure(Error::internal(own.database_file + " cannot be opened"));
}

Exit run(std::vector<std::string> words, App (*make)(const ShopOptions&) = make_shop) {
  std::vector<const char*> argv = {"shop"};
  for (const std::string& word : words) {
    argv.push_back(word.c_str());
  }
  return run_app<ShopOptions>("shop", static_cast<int>(argv.size()), argv.data(), make);
}

TEST(RunApp, makes_the_app_of_its_options_and_reads_those_of_modules_too) {
  const Exit routes = run({"--clerk-at-start", "false", "--copies", "7", "--routes"});
  EXPECT_EQ(routes.code(), 0);
  EXPECT_TRUE(routes.text().contains("/shop.db7")) << routes.text();
  EXPECT_EQ(run({"--openapi"}).text(), "{}");
  EXPECT_EQ(run({"--clerk-at-start=false", "--openapi"}).text(), "{}");
  const Exit config = run({"--clerk-at-start", "false", "--print-config"});
  EXPECT_EQ(config.code(), 0);
  EXPECT_TRUE(config.text().contains("at_start = false  # --clerk-at-start")) << config.text();
  EXPECT_TRUE(config.text().contains("copies = 3  # default")) << config.text();
}

TEST(RunApp, lists_options_of_modules_in_its_help) {
  const Exit help = run({"--help"});
  EXPECT_EQ(help.code(), 0);
  for (const char* const option : {"--database-file", "--clerk-at-start", "--openapi", "--port"}) {
    EXPECT_TRUE(help.text().contains(option)) << option << help.text();
  }
}

TEST(RunApp, shows_the_help_that_there_is_if_the_app_cannot_be_made) {
  const Exit help = run({"--copies", "100", "--help"}, make_no_shop);
  EXPECT_EQ(help.code(), 0);
  EXPECT_TRUE(help.text().contains("--database-file")) << help.text();
  EXPECT_TRUE(help.text().ends_with(
      "Options of modules are missing in this list: shop.db cannot be opened\n"))
      << help.text();
}

TEST(RunApp, reports_values_before_it_makes_the_app_and_unknown_options_after) {
  EXPECT_TRUE(run({"--copies", "100"}, make_no_shop)
                  .text()
                  .starts_with("error[invalid-option-value]: --copies must be"));
  EXPECT_TRUE(run({"--port", "nine"}, make_no_shop)
                  .text()
                  .starts_with("error[invalid-option-value]: --port must be"));
  EXPECT_TRUE(run({"--copies"}, make_no_shop)
                  .text()
                  .starts_with("error[missing-option-value]: --copies requires a value"));
  const Exit unknown = run({"--clerk-at-strat", "x"});
  EXPECT_EQ(unknown.code(), 2);
  EXPECT_EQ(unknown.text(),
            "error[unknown-option]: --clerk-at-strat is not an option (did you mean "
            "--clerk-at-start?); see --help\n");
}

TEST(RunApp, prints_a_document_of_all_routes_if_the_app_serves_none) {
  const char* const argv[] = {"shop", "--openapi"};
  const Exit exit = run_app("shop", 2, argv, [] {
    App app;
    app.get("/books/{id}", [](int id) { return id; });
    return app;
  });
  EXPECT_EQ(exit.code(), 0);
  EXPECT_TRUE(exit.text().starts_with(R"({"openapi":"3.1)")) << exit.text();
  EXPECT_TRUE(exit.text().contains(R"("title":"shop")")) << exit.text();
  EXPECT_TRUE(exit.text().contains(R"("/books/{id}")")) << exit.text();
}

TEST(RunApp, names_misspelled_options_below_the_reason_why_the_app_cannot_be_made) {
  const Variable wrong("SHOP_DATABSE_FILE", "x");
  const Exit exit = run({"--databse-file", "y"}, make_no_shop);
  EXPECT_EQ(exit.code(), 1);
  EXPECT_EQ(exit.text(),
            "error[startup-failed]: shop.db cannot be opened\n"
            "error[unknown-option]: --databse-file is not an option (did you mean "
            "--database-file?); see --help\n"
            "warning[unknown-variable]: The environment variable SHOP_DATABSE_FILE is not used: no "
            "option has that name. Did "
            "you mean SHOP_DATABASE_FILE?\n");
}

TEST(RunApp, reads_tables_of_modules_in_a_file_and_reports_unknown_keys) {
  const Directory directory;
  const std::string good = directory.file("good.toml", "copies = 5\n[clerk]\nat_start = false\n");
  EXPECT_TRUE(run({"--config", good, "--routes"}).text().contains("/shop.db5"));
  const std::string bad = directory.file("bad.toml", "copies = 5\n[clerk]\nat_strat = false\n");
  const Exit exit = run({"--config", bad, "--routes"});
  EXPECT_EQ(exit.code(), 2);
  EXPECT_TRUE(exit.text().contains("'clerk.at_strat' is not an option")) << exit.text();
}

TEST(RunApp, creates_nothing_on_the_disk_to_describe_the_app) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"--routes"},
                                             {"--openapi"},
                                             {"--print-config"},
                                             {"--clerk-at-start", "false", "--routes"}}) {
    const bool was_described = run(words, [](const ShopOptions& own) {
                                 App app = make_shop(own);
                                 if (!detail::base::DescribesOnly::is_on()) {
                                   throw Failure(Error::internal("creates files"));
                                 }
                                 return app;
                               }).code() == 0;
    EXPECT_TRUE(was_described) << words[0];
  }
}

TEST(RunApp, makes_the_app_for_real_if_it_cannot_be_made_to_describe_it) {
  const auto make = [](const ShopOptions& own) {
    if (detail::base::DescribesOnly::is_on()) {
      throw Failure(Error::internal("no such table: clerks"));
    }
    return make_shop(own);
  };
  EXPECT_EQ(run({"--routes"}, make).code(), 0);
  EXPECT_EQ(run({"--clerk-at-start", "false", "--openapi"}, make).text(), "{}");
}

TEST(RunApp, reads_a_pipe_once) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "open sesame", 11), 11);
  ::close(ends[1]);
  const std::string pipe = "/dev/fd/" + std::to_string(ends[0]);
  const Exit exit = run({"--api-key-file", pipe, "--routes"}, [](const ShopOptions& own) {
    App app;
    app.get(RuntimePattern{own.api_key.reveal() == "open sesame" ? "/right" : "/wrong"},
            [] { return "x"; });
    return app;
  });
  ::close(ends[0]);
  EXPECT_TRUE(exit.text().contains("/right")) << exit.text();
}

TEST(RunApp, needs_no_options_of_the_programs_own) {
  const char* const argv[] = {"shop", "--clerk-at-start", "false", "--routes"};
  const Exit exit = run_app("shop", 4, argv, [] { return make_shop({}); });
  EXPECT_EQ(exit.code(), 0);
  EXPECT_TRUE(exit.text().contains("/shop.db3")) << exit.text();
}

TEST(RunApp, says_why_a_secret_is_not_on_the_command_line) {
  const Exit exit = run({"--api-key", "open sesame"});
  EXPECT_EQ(exit.code(), 2);
  EXPECT_EQ(
      exit.text(),
      "error[secret-in-plain-text]: --api-key is a secret, and every user of this machine can read "
      "the command line. Write the secret to a file and use --api-key-file FILE, or set the "
      "environment variable SHOP_API_KEY; see --help\n");
}

/// Returns the settings from the current environment.
std::string said_of_environment() {
  return run({"--print-config"}).text();
}

TEST(MisspelledVariables, are_reported_with_the_nearest_name) {
  const Variable of_program("SHOP_COPEIS", "4");
  const Variable of_module("SHOP_CLERK_AT_STRAT", "false");
  const Variable of_server("EIDER_PROT", "1");
  const std::string text = said_of_environment();
  for (const char* const line :
       {"# The environment variable SHOP_COPEIS is not used: no option has that name. Did you mean "
        "SHOP_COPIES?\n",
        "SHOP_CLERK_AT_STRAT is not used: no option has that name. Did you mean "
        "SHOP_CLERK_AT_START?\n",
        "EIDER_PROT is not used: no option has that name. Did you mean EIDER_PORT?\n"}) {
    EXPECT_TRUE(text.contains(line)) << line << text;
  }
}

TEST(MisspelledVariables, are_not_those_that_containers_and_other_programs_have) {
  const Variable host("SHOP_SERVICE_HOST", "10.0.0.1");
  const Variable port("SHOP_SERVICE_PORT_HTTP", "80");
  const Variable url("SHOP_PORT", "tcp://10.0.0.1:80");
  const Variable protocol("SHOP_PORT_80_TCP_PROTO", "tcp");
  const Variable copies("SHOP_COPIES_PORT_80_TCP", "tcp://10.0.0.1:80");
  const Variable eider("EIDER_PORT_8080_TCP", "tcp://10.0.0.1:8080");
  const Variable short_one("EIDER_BIN", "/bin");
  const Variable longer("EIDER_HOST_TOOLS", "/bin");
  const Variable empty("SHOP_COLOUR", "");
  const Variable lower("shop_colour", "red");
  const Variable secret("SHOP_API_KEY", "open sesame");
  const Variable right("SHOP_API_KEY_FILE", "");
  EXPECT_FALSE(said_of_environment().contains("is not used")) << said_of_environment();
}

TEST(UnknownVariables, with_the_prefix_of_the_program_are_reported) {
  const Variable longer("SHOP_DATABASE_FILE_URL", "x");
  const Variable of_server("SHOP_PORT", "8080");
  const Variable far("SHOP_COLOUR", "red");
  const Variable lower("shop_copies", "4");
  const Variable other("EIDER_COLOUR", "red");
  const std::string text = said_of_environment();
  const std::string unused = " is not used: no option has that name. ";
  for (const std::string& line :
       {"SHOP_DATABASE_FILE_URL" + unused + "Did you mean SHOP_DATABASE_FILE?\n",
        "SHOP_PORT" + unused + "Did you mean EIDER_PORT?\n",
        "SHOP_COLOUR" + unused + "--help-all lists the variables of all options\n",
        "shop_copies" + unused + "Did you mean SHOP_COPIES?\n"}) {
    EXPECT_TRUE(text.contains("# The environment variable " + line)) << line << text;
  }
  EXPECT_FALSE(text.contains("EIDER_COLOUR")) << "Eider's build and tools use this prefix, too";
}

TEST(UnknownVariables, are_not_those_that_systemd_sets_for_each_service) {
  const Variable stream("JOURNAL_STREAM", "8:12345");
  const Variable colour("JOURNAL_COLOUR", "red");
  const char* const argv[] = {"journal", "--print-config"};
  const std::string text = run_app("journal", 2, argv, [] { return App(); }).text();
  EXPECT_TRUE(text.contains("JOURNAL_COLOUR is not used")) << text;
  EXPECT_FALSE(text.contains("JOURNAL_STREAM")) << text;
}

TEST(UnknownVariables, of_modules_do_not_appear_below_the_reason_why_the_app_cannot_be_made) {
  const Variable of_module("SHOP_CLERK_AT_START", "true");
  EXPECT_EQ(run({}, make_no_shop).text(), "error[startup-failed]: shop.db cannot be opened\n");
}

TEST(MisspelledVariables, are_logged_before_the_program_serves) {
  const Variable wrong("SHOP_COPEIS", "4");
  const auto log = std::make_shared<LogLines>();
  const char* const argv[] = {"shop", "--listen", "unix:/none/there.sock"};
  const Exit exit = run_app<ShopOptions>("shop", 3, argv, [&log](const ShopOptions& own) {
    App app = make_shop(own);
    app.log_to(log);
    return app;
  });
  ASSERT_FALSE(log->lines.empty());
  EXPECT_EQ(log->lines.front(),
            "The environment variable SHOP_COPEIS is not used: no option has that name. Did you "
            "mean SHOP_COPIES? code=unknown-variable");
  EXPECT_TRUE(log->lines.back().starts_with("Cannot listen on unix:/none/there.sock: "));
  EXPECT_TRUE(log->lines.back().ends_with(" code=listen-failed")) << log->lines.back();
  EXPECT_EQ(exit.code(), 1);
}

}  // namespace
}  // namespace eider
