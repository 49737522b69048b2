#include "eider/web/languages/po.h"

#include <gtest/gtest.h>

#include <string>

namespace eider::detail::languages {
namespace {

constexpr const char* kPolish = R"(# A comment
msgid ""
msgstr ""
"Project-Id-Version: notes\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n"
"%100>=20) ? 1 : 2);\n"

#. for translators
#: main.cc:12
msgid "Save"
msgstr "Zapisz"

#, fuzzy, c-format
#| msgid "Delet"
msgid "Delete"
msgstr "Usun"

msgctxt "menu"
msgid "Open"
msgstr "Otwórz"
msgctxt "state"
msgid "Open"
msgstr "Otwarty"

msgid "{count} note"
msgid_plural "{count} notes"
msgstr[0] "{count} notatka"
msgstr[1] "{count} notatki"
msgstr[2] "{count} notatek"

msgid "untranslated"
msgstr ""

#, fuzzy
#~ msgid "old"
#~ msgstr "stary"

msgid "a \"quoted\"\n"
"\ttext\\ \101\x42"
msgstr "„tekst”"
)";

std::string text_of(const Catalogue& catalogue, const MessageKey& key) {
  const std::string* const text = catalogue.find(key);
  return text == nullptr ? "none" : *text;
}

std::string error_of(const std::string& text) {
  const auto read = read_po(text);
  return read ? "none" : read.error();
}

TEST(Po, MayBeginWithAByteOrderMark) {
  const auto read = read_po("\xEF\xBB\xBF" + std::string(kPolish));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(text_of(*read, {"", "Save"}), "Zapisz");
  EXPECT_TRUE(read_po("\xEF\xBB\xBF# comment\r\nmsgid \"a\"\r\nmsgstr \"b\"\r\n"));
  EXPECT_EQ(error_of("\xFF\xFEm"), "1: the file is UTF-16 text: save it as UTF-8");
}

TEST(Po, HasTextsByContextAndPlural) {
  const auto read = read_po(kPolish);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(text_of(*read, {"", "Save"}), "Zapisz");
  EXPECT_EQ(text_of(*read, {"menu", "Open"}), "Otwórz");
  EXPECT_EQ(text_of(*read, {"state", "Open"}), "Otwarty");
  EXPECT_EQ(text_of(*read, {"", "Open"}), "none");
  EXPECT_EQ(*read->find({"", "{count} note"}, 1), "{count} notatka");
  EXPECT_EQ(*read->find({"", "{count} note"}, 3), "{count} notatki");
  EXPECT_EQ(*read->find({"", "{count} note"}, 12), "{count} notatek");
  EXPECT_EQ(*read->find({"", "Save"}, 5), "Zapisz");
  EXPECT_EQ(text_of(*read, {"", "a \"quoted\"\n\ttext\\ AB"}), "„tekst”");
}

TEST(Po, LeavesOutWhatIsFuzzyObsoleteOrNotTranslated) {
  const auto read = read_po(kPolish);
  ASSERT_TRUE(read);
  for (const char* const id : {"Delete", "old", "untranslated", ""}) {
    EXPECT_EQ(text_of(*read, {"", id}), "none") << id;
  }
  EXPECT_EQ(read->size(), 5U);
}

TEST(Po, PluralsWithAFormMissingAreNotTranslated) {
  const auto read = read_po("msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"x\"\nmsgstr[1] \"\"\n");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size(), 0U);
}

TEST(Po, HeaderCountsThoughItIsFuzzy) {
  const auto read = read_po(
      "#, fuzzy\nmsgid \"\"\nmsgstr \"Plural-Forms: nplurals=1; plural=0;\\n\"\n"
      "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"x\"\n");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->rule().count(), 1U);
  EXPECT_EQ(*read->find({"", "a"}, 2), "x");
}

TEST(Po, LinesMayEndAsOnWindows) {
  const auto read = read_po("msgid \"a\"\r\nmsgstr \"b\"\r\n");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(text_of(*read, {"", "a"}), "b");
}

TEST(Po, IsUtf8AndNothingElse) {
  EXPECT_EQ(error_of("msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=ISO-8859-2\\n\"\n"),
            "1: the charset is ISO-8859-2, but must be UTF-8");
  EXPECT_EQ(error_of("msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=CHARSET\\n\"\n"),
            "1: the charset is CHARSET, but must be UTF-8");
  EXPECT_EQ(error_of("msgid \"a\"\nmsgstr \"\xff\"\n"),
            "2: the file is not valid UTF-8: save it as UTF-8");
  EXPECT_NE(error_of("msgid \"a\"\nmsgstr \"\\xff\"\n"), "none");
  EXPECT_NE(error_of("msgid \"a\"\nmsgstr \"\\377\"\n"), "none");
}

TEST(Po, TellsTheLineThatIsWrong) {
  const struct {
    const char* text;
    const char* error;
  } rows[] = {
      {"hello\n", "1: \"hello\" is not allowed here"},
      {"\"text\"\n", "1: a text must follow msgid or msgstr"},
      {"msgid \"a\n", "1: a text must be in double quotes, with C escapes"},
      {"msgid a\n", "1: a text must be in double quotes, with C escapes"},
      {"msgid\n", "1: a text must be in double quotes, with C escapes"},
      {"msgid \"a\\\"\n", "1: a text must be in double quotes, with C escapes"},
      {"msgid \"a\\q\"\n", "1: a text must be in double quotes, with C escapes"},
      {"msgid \"a\" \"b\"\n", "1: a text must be in double quotes, with C escapes"},
      {"msgid \"a\"\nmsgid \"b\"\n", "2: \"msgid\" is not allowed here"},
      {"msgid \"a\"\n\n", "2: a message has no msgstr"},
      {"msgctxt \"a\"\n", "1: a message has no msgstr"},
      {"msgid \"a\"\nmsgstr[0] \"b\"\n", "2: \"msgstr[0]\" is not allowed here"},
      {"msgid \"a\"\nmsgid_plural \"b\"\nmsgstr \"c\"\n", "3: \"msgstr\" is not allowed here"},
      {"msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[1] \"c\"\n",
       "3: \"msgstr[1]\" is not allowed here"},
      {"msgid \"a\"\nmsgstr \"b\"\nmsgstr \"c\"\n", "3: \"msgstr\" is not allowed here"},
      {"domain \"a\"\n", "1: \"domain\" is not allowed here"},
      {"msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"c\"\n",
       "1: the header has nplurals=2, but the number of msgstr entries is 1"},
      {"msgid \"a\"\nmsgstr \"b\"\nmsgid \"a\"\nmsgstr \"c\"\n", "3: duplicate message \"a\""},
      {"msgid \"\"\nmsgstr \"Plural-Forms: nplurals=2; plural=n/;\\n\"\n",
       "1: \"n/\" is not a valid plural expression. Use C operators, n and numbers."},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(error_of(row.text), row.error) << row.text;
  }
}

TEST(Po, TooLargeIsRefused) {
  EXPECT_NE(error_of(std::string(kPoBytesMax + 1, '\n')), "none");
  EXPECT_EQ(error_of(std::string(kPoBytesMax, '\n')), "none");
}

TEST(Po, CutAnywhereIsRefusedOrHasFewerTexts) {
  const std::string whole = kPolish;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto read = read_po(whole.substr(0, size));
    if (read) {
      EXPECT_LE(read->size(), 5U) << size;
      const std::string save = text_of(*read, {"", "Save"});
      EXPECT_TRUE(save == "Zapisz" || save == "none") << size;
    }
  }
}

}  // namespace
}  // namespace eider::detail::languages
