#include "cli/project/package.h"

#include <gtest/gtest.h>

namespace eider {

namespace {

constexpr std::string_view kSaid =
    "\tlinux-vdso.so.1 (0x00007ffd1a5f2000)\n"
    "\tlibz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x00007f3b1c000000)\n"
    "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f3b1be00000)\n"
    "\tlibfmt.so.9 => /srv/a b/libfmt.so.9 (0x00007f3b1bd00000)\n"
    "\t/lib64/ld-linux-x86-64.so.2 (0x00007f3b1c200000)\n";

std::string names_of(const Closure& closure) {
  std::string names;
  for (const SharedLibrary& each : closure.libraries) {
    names += each.name + (each.is_system ? "* " : " ") + each.path + "\n";
  }
  return names;
}

TEST(Closure, is_what_ldd_says_without_the_kernels_own_and_the_loader) {
  const auto closure = read_ldd(kSaid);
  ASSERT_TRUE(closure);
  EXPECT_EQ(closure->loader, "/lib64/ld-linux-x86-64.so.2");
  EXPECT_EQ(names_of(*closure),
            "libc.so.6* /lib/x86_64-linux-gnu/libc.so.6\n"
            "libfmt.so.9 /srv/a b/libfmt.so.9\n"
            "libz.so.1 /lib/x86_64-linux-gnu/libz.so.1\n");
}

TEST(Closure, of_a_program_without_libraries_is_empty) {
  const auto closure = read_ldd("\tstatically linked\n");
  ASSERT_TRUE(closure);
  EXPECT_TRUE(closure->libraries.empty());
  EXPECT_TRUE(closure->loader.empty());
}

TEST(Closure, names_a_library_that_is_not_found) {
  const auto closure = read_ldd("\tlibz.so.1 => not found\n");
  ASSERT_FALSE(closure);
  EXPECT_EQ(closure.error(), "libz.so.1 was not found. Install the package that contains it");
}

TEST(Closure, is_read_wherever_the_text_ends) {
  for (std::size_t bytes = 0; bytes <= kSaid.size(); ++bytes) {
    const auto closure = read_ldd(kSaid.substr(0, bytes));
    ASSERT_TRUE(closure) << bytes;
    EXPECT_LE(closure->libraries.size(), 4U);  // a truncated loader name is a library
  }
}

TEST(ShellQuoted, is_one_word_whatever_is_in_it) {
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("/srv/shop"), "'/srv/shop'");
  EXPECT_EQ(shell_quoted("a'b"), "'a'\\''b'");
  EXPECT_EQ(shell_quoted("$(x) `y` \"z\"\n"), "'$(x) `y` \"z\"\n'");
}

}  // namespace

}  // namespace eider
