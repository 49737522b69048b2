#include "eider/web/views/sink.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "eider/core/base/html.h"
#include "eider/web/views/escape.h"

namespace eider::views {
namespace {

TEST(Sink, WritesBehindWhatIsThere) {
  std::string out = "a";
  {
    Sink sink(out, 0);
    sink.text("bc");
    write_html(sink, "<d>");
    sink.append_by([](std::string& whole) { whole += "e"; });
    sink.text("");
    sink.text("f");
  }
  EXPECT_EQ(out, "abc&lt;d&gt;ef");
}

TEST(Sink, GrowsFromAnyRoom) {
  for (std::size_t room = 0; room < 40; ++room) {
    std::string out;
    std::string expected;
    {
      Sink sink(out, room);
      for (int i = 0; i < 300; ++i) {
        sink.text("0123456789abcdefghij");
        expected += "0123456789abcdefghij";
      }
    }
    ASSERT_EQ(out, expected) << room;
    ASSERT_EQ(out.c_str()[out.size()], '\0');
  }
}

TEST(Sink, WhatThrowsLeavesWhatWasWritten) {
  std::string out;
  EXPECT_THROW(
      {
        Sink sink(out, 100);
        sink.text("before");
        sink.append_by([](std::string& whole) {
          whole += " within";
          throw std::runtime_error("a filter");
        });
      },
      std::runtime_error);
  EXPECT_EQ(out, "before within");
}

TEST(Sink, HtmlIsEscapedWhereverTheBytesStand) {
  for (std::size_t bytes = 0; bytes < 70; ++bytes) {
    for (std::size_t at = 0; at < bytes; ++at) {
      for (const char special : {'&', '<', '>', '"', '\'', '\0', '\xff', '\xa6', ';', '#', '='}) {
        std::string text(bytes, 'x');
        text[at] = special;
        text[bytes / 2] = special;
        std::string out = "y";
        append_html(out, text);
        ASSERT_EQ(out, "y" + escape_html(text));
      }
    }
  }
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(33, static_cast<char>(byte));
    std::string out;
    append_html(out, text);
    ASSERT_EQ(out, escape_html(text)) << byte;
  }
}

}  // namespace
}  // namespace eider::views
