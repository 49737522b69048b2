#include "eider/app/life/module.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/websocket.h"
#include "eider/app/settings/options.h"
#include "eider/core/reflect/constraints.h"
#include "eider/io/runtime/sleep.h"
#include "eider/server/topics.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

using Journal = std::vector<std::string>;

/// A module with all possible members.
struct Search {
  explicit Search(std::shared_ptr<Journal> its_journal) : journal(std::move(its_journal)) {}

  static constexpr std::string_view kName = "search";
  static constexpr Duration kStopWithin = 2s;
  struct Settings {
    std::string index_dir = "index";
    Bounded<int, 1, 9> copies = 1;
  };

  Task<Result<void>> start() {
    co_await sleep_for(1s);
    journal->push_back("start " + settings.index_dir);
    co_return {};
  }
  Task<> run() {
    while (true) {
      co_await sleep_for(10s);
      journal->push_back("run");
    }
  }
  Task<> run_on_loop() {
    journal->push_back("run on loop");
    co_return;
  }
  void stop() { journal->push_back("stop"); }

  Settings settings{};
  std::shared_ptr<Journal> journal;
};

/// A module with only a name, and a reference to another one.
struct Suggestions {
  static constexpr std::string_view kName = "suggestions";
  explicit Suggestions(Search& its_search) : search(&its_search) {}
  Search* search;
};

TEST(Modules, start_run_and_stop_with_the_app) {
  const auto journal = std::make_shared<Journal>();
  App app;
  Search& search = app.add_module<Search>(journal);
  app.add_module<Suggestions>(search);
  app.get("/",
          [](State<Suggestions> suggestions) { return suggestions->search->settings.index_dir; });
  {
    TestClient client(app);
    EXPECT_EQ(client.get("/").body, "index");
    client.advance(25s);
  }
  EXPECT_EQ(*journal, (Journal{"start index", "run on loop", "run", "run", "stop"}));
}

TEST(Modules, have_a_section_of_the_programs_options) {
  App app;
  Search& search = app.add_module<Search>(std::make_shared<Journal>());
  app.options(OptionSet("notes"));
  ::setenv("NOTES_SEARCH_INDEX_DIR", "there", 1);
  const char* const words[] = {"notes", "--search-copies", "3"};
  const auto options = read_command_line(3, words, app.options());
  ::unsetenv("NOTES_SEARCH_INDEX_DIR");
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(search.settings.index_dir, "there");
  EXPECT_EQ(search.settings.copies, 3);

  const char* const help[] = {"notes", "--help"};
  EXPECT_TRUE(read_command_line(2, help, app.options())
                  .error()
                  .text()
                  .contains("Options of search:\n  --search-index-dir TEXT"));
}

TEST(Modules, are_there_once) {
  App app;
  app.add_module<Search>(std::make_shared<Journal>());
  EXPECT_THROW(app.add_module<Search>(std::make_shared<Journal>()), Failure);
}

TEST(Modules, may_be_replaced_for_tests) {
  App app;
  Search& search = app.add_module<Search>(std::make_shared<Journal>());
  search.settings.index_dir = "the real one";
  app.override_state<Search>(std::make_shared<Journal>());
  app.get("/", [](State<Search> its) { return its->settings.index_dir; });
  TestClient client(app);
  EXPECT_EQ(client.get("/").body, "index");
}

TEST(Modules, of_the_app_itself_are_given_to_handlers_too) {
  App app;
  app.get("/", [](State<Topics> topics) { return topics->size(); });
  TestClient client(app);
  EXPECT_EQ(client.get("/").body, "0");
}

}  // namespace
}  // namespace eider
