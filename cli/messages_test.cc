#include "cli/commands.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cli/cpp_texts.h"
#include "eider/testkit/temp_directory.h"

namespace eider {
namespace {

/// Returns "context|text|many@line" for each text.
std::vector<std::string> found_in(std::string_view source,
                                  const std::vector<std::string>& keywords = {}) {
  std::vector<std::string> found;
  for (const SourceText& text : texts_of_cpp(source, keywords)) {
    found.push_back(text.context + "|" + text.text + "|" + text.many + "@" +
                    std::to_string(text.line));
  }
  return found;
}

using Found = std::vector<std::string>;

TEST(CppTexts, are_those_of_calls_with_texts_in_quotes) {
  EXPECT_EQ(found_in("x = tr(\"Save\");\ny = tr(\"Hello, {name}!\", {{\"name\", f(a, b)}});"),
            (Found{"|Save|@1", "|Hello, {name}!|@2"}));
  EXPECT_EQ(found_in("tr.plural(\"{count} note\", \"{count} notes\", n)"),
            (Found{"|{count} note|{count} notes@1"}));
  EXPECT_EQ(found_in("tr.context(\"menu\", \"Open\")\ntr.context_plural(\"a\", \"b\", \"c\", 1)"),
            (Found{"menu|Open|@1", "a|b|c@2"}));
  EXPECT_EQ(found_in("translate(tr, \"A\"); translate_plural(*tr, \"B\", \"C\", 2)"),
            (Found{"|A|@1", "|B|C@1"}));
  EXPECT_EQ(found_in("session.flash(\"info\", \"Saved.\")"), (Found{"|Saved.|@1"}));
  EXPECT_EQ(found_in("said(\"Yes\") tr(name) tr(\"a\" + b) str(\"No\") context(\"one\")"), Found());
  EXPECT_EQ(found_in("said(\"Yes\")", {"said"}), (Found{"|Yes|@1"}));
}

TEST(CppTexts, are_put_together_and_without_escapes) {
  EXPECT_EQ(found_in("tr(\"one \"\n   \"two\")"), (Found{"|one two|@1"}));
  EXPECT_EQ(found_in(R"(tr("a \"b\" \\ c\n"))"), (Found{"|a \"b\" \\ c\n|@1"}));
  EXPECT_EQ(found_in("tr(R\"x(a \"b\" )x\")"), (Found{"|a \"b\" |@1"}));
}

TEST(CppTexts, are_not_those_in_comments_and_characters) {
  EXPECT_EQ(found_in("// tr(\"no\")\n/* tr(\"no\")\n */ c = '\"'; n = 1'000; tr(\"yes\")"),
            (Found{"|yes|@3"}));
  for (const char* cut :
       {"tr(\"", "tr(", "tr(\"a", "R\"(", "/*", "enum", "enum E {", "'", "tr(\"a\""}) {
    EXPECT_EQ(found_in(cut), Found()) << cut;
  }
}

TEST(CppTexts, are_labels_of_enums_that_are_marked) {
  EXPECT_EQ(found_in("// tr\nenum class State : int { open, sold_out = 4 };\nenum Other { no };"),
            (Found{"|Open|@2", "|Sold out|@2"}));
  EXPECT_EQ(found_in("enum Role {\n  admin,\n  guest,\n};  // tr"),
            (Found{"|Admin|@2", "|Guest|@3"}));
  EXPECT_EQ(found_in("// tr\nenum Role : int;\n\n\nenum Role : int { admin };"), Found());
}

class MessagesCommand : public ::testing::Test {
 public:
  void save(const std::string& name, std::string_view text) {
    const std::filesystem::path path = directory_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  [[nodiscard]] std::string path(std::string_view name) const {
    return (directory_.path() / name).string();
  }
  [[nodiscard]] std::string text_of(std::string_view name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void SetUp() override {
    save("src/main.cc", "tr(\"Save\"); tr(\"Twice\");\n");
    save("pages/note.html",
         "{# page notes::Note #}\n<p title=\"{{ \"Twice\" | tr }}\">\n"
         "{% if a %}{{ n | tr(\"{count} \\\"note\\\"\", \"{count} notes\") }}{% endif %}\n"
         "{% for each in all %}{{ \"Open\" | tr(context: \"menu\") | upper }}{% endfor %}\n"
         "{{ each | tr(language) }}{{ title | tr }}</p>\n");
    save("build/made.cc", "tr(\"not of the program\");");
  }

 private:
  const TempDirectory directory_;
};

TEST_F(MessagesCommand, collects_the_texts_of_sources_and_templates) {
  const std::string out = path("messages.pot");
  const std::string root = path("");
  ASSERT_EQ(messages_command(std::array<std::string_view, 3>{root, "--out", out}), kCommandDone);
  std::string pot = text_of("messages.pot");
  for (std::size_t at = pot.find(root); at != pot.npos; at = pot.find(root)) {
    pot.erase(at, root.size());
  }
  EXPECT_EQ(pot,
            "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
            "\"Content-Transfer-Encoding: 8bit\\n\"\n\n"
            "#: src/main.cc:1\nmsgid \"Save\"\nmsgstr \"\"\n\n"
            "#: pages/note.html:2\n#: src/main.cc:1\nmsgid \"Twice\"\nmsgstr \"\"\n\n"
            "#: pages/note.html:3\nmsgid \"{count} \\\"note\\\"\"\nmsgid_plural \"{count} notes\"\n"
            "msgstr[0] \"\"\nmsgstr[1] \"\"\n\n"
            "#: pages/note.html:4\nmsgctxt \"menu\"\nmsgid \"Open\"\nmsgstr \"\"\n");
}

TEST_F(MessagesCommand, reports_what_a_catalogue_lacks) {
  const std::string whole =
      "msgid \"Save\"\nmsgstr \"Sichern\"\n\nmsgid \"Twice\"\nmsgstr \"Zweimal\"\n\n"
      "msgctxt \"menu\"\nmsgid \"Open\"\nmsgstr \"Öffnen\"\n\n"
      "msgid \"{count} \\\"note\\\"\"\nmsgid_plural \"{count} notes\"\n"
      "msgstr[0] \"a\"\nmsgstr[1] \"b\"\n";
  const std::string root = path("");
  const std::string languages = path("languages");
  const std::array<std::string_view, 3> check{root, "--check", languages};
  EXPECT_EQ(messages_command(check), kCommandFailed) << "there is no such directory";
  save("languages/de.po", whole);
  save("languages/de_AT.po", "msgid \"Save\"\nmsgstr \"Speichern\"\n");
  EXPECT_EQ(messages_command(check), kCommandDone) << "de_AT has the rest from de";
  save("languages/fr.po", "msgid \"Save\"\nmsgstr \"\"\n");
  EXPECT_EQ(messages_command(check), kCommandFound);
  save("languages/fr.po", "nonsense");
  EXPECT_EQ(messages_command(check), kCommandFailed);
}

TEST_F(MessagesCommand, fails_for_a_template_that_cannot_be_read) {
  save("pages/wrong.html", "{{ \"a");
  const std::string wrong = path("pages/wrong.html");
  EXPECT_EQ(messages_command(std::array<std::string_view, 1>{wrong}), kCommandFailed);
  EXPECT_EQ(messages_command(std::array<std::string_view, 1>{"--nope"}), kCommandMisused);
}

}  // namespace
}  // namespace eider
