#include "eider/protocols/http/disposition.h"

#include <gtest/gtest.h>

#include <string>

namespace eider {
namespace {

struct Named {
  std::string_view filename;
  std::string_view safe;
};

constexpr Named kNames[] = {
    {"a.txt", "a.txt"},
    {"a b (1).tar.gz", "a b (1).tar.gz"},
    {"\xC3\xA9\xE2\x82\xAC.pdf", "\xC3\xA9\xE2\x82\xAC.pdf"},
    {"/etc/passwd", "passwd"},
    {"../../a.txt", "a.txt"},
    {"C:\\dir\\a.txt", "a.txt"},
    {"a/b\\c/d.txt", "d.txt"},
    {"", "unnamed"},
    {"/", "unnamed"},
    {".", "unnamed"},
    {"..", "unnamed"},
    {"...", "unnamed"},
    {"a/..", "unnamed"},
    {"  . ", "unnamed"},
    {".htaccess", "htaccess"},
    {"a.txt. ", "a.txt"},
    {"a\r\nb\x7F.txt", "a__b_.txt"},
    {"a<b>:\"|?*.txt", "a_b______.txt"},
    {"\xFF\xC3.txt", "__.txt"},
    {"a%2Fb", "a%2Fb"},
    {"a\u202Egpj.exe", "a_gpj.exe"},
    {"a\u2066b\u2069", "a_b_"},
    {"a\u009B31mb", "a_31mb"},
    {"a\u2028b\u2029c", "a_b_c"},
    {"a\u200Bb\uFEFFc\u00ADd", "a_b_c_d"},
    {"\u200E.htaccess", "_.htaccess"},
    {"-rf", "rf"},
    {"--help.txt", "help.txt"},
    {" -.-x", "x"},
    {"a-b", "a-b"},
    {"CON", "_CON"},
    {"nul.txt", "_nul.txt"},
    {"Com1 .tar.gz", "_Com1 .tar.gz"},
    {"LPT\u00B9", "_LPT\u00B9"},
    {"CONIN$", "_CONIN$"},
    {"CONSOLE.txt", "CONSOLE.txt"},
    {"COM10", "COM10"},
    {"a.con", "a.con"},
};

TEST(SafeFilename, keeps_what_is_harmless_of_the_last_part) {
  for (const Named& one : kNames) {
    EXPECT_EQ(safe_filename(one.filename), one.safe) << one.filename;
  }
  EXPECT_EQ(safe_filename(std::string_view("a\0b", 3)), "a_b");
}

TEST(SafeFilename, is_cut_in_front_of_its_extension) {
  EXPECT_EQ(safe_filename("abcdefghij.txt", 14), "abcdefghij.txt");
  EXPECT_EQ(safe_filename("abcdefghij.txt", 13), "abcdefghi.txt");
  EXPECT_EQ(safe_filename("abcdefghij.longext", 8), "abcdefgh");
  EXPECT_EQ(safe_filename(std::string(300, 'a')), std::string(255, 'a'));
  EXPECT_EQ(safe_filename("abc\xC3\xA9\xC3\xA9.txt", 10), "abc\xC3\xA9.txt") << "no half letters";
}

TEST(SafeFilename, stays_as_it_is_when_made_safe_again) {
  for (const Named& one : kNames) {
    EXPECT_EQ(safe_filename(one.safe), one.safe);
  }
}

TEST(Disposition, tells_a_field_from_a_file) {
  const auto field = read_disposition("form-data; name=a");
  ASSERT_TRUE(field.has_value());
  EXPECT_EQ(field->name, "a");
  EXPECT_EQ(field->filename, std::nullopt);
  const auto file = read_disposition("form-data; name=a; filename=\"\"");
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->filename, "");
}

// The rest is in tests/conformance/multipart_cases.h, read by multipart_test.cc.

}  // namespace
}  // namespace eider
