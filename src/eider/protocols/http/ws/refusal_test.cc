#include "eider/protocols/http/ws/refusal.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "eider/protocols/http/ws/message_writer.h"

namespace eider::ws {
namespace {

TEST(WsRefusal, every_row_has_a_code_to_be_sent_and_a_reason_that_fits) {
  std::set<std::string_view> texts;
  for (int row = 1; row <= static_cast<int>(Refusal::bad_close_reason); ++row) {
    const RefusalInfo& info = refusal_info(static_cast<Refusal>(row));
    EXPECT_TRUE(is_sendable(info.code)) << info.text;
    EXPECT_LE(info.text.size(), kReasonBytesMax);
    EXPECT_TRUE(info.text.ends_with('.'));
    EXPECT_TRUE(info.section.starts_with("RFC ")) << info.text;
    EXPECT_TRUE(texts.insert(info.text).second) << info.text;
  }
}

TEST(WsRefusal, rows_stand_where_the_enum_says) {
  EXPECT_EQ(refusal_info(Refusal::reserved_bit).text, "A reserved bit is set.");
  EXPECT_EQ(refusal_info(Refusal::masked).text, "A server's frame is masked.");
  EXPECT_EQ(refusal_info(Refusal::bad_text).code, CloseCode::invalid_data);
  EXPECT_EQ(refusal_info(Refusal::message_too_large).code, CloseCode::message_too_big);
  EXPECT_EQ(refusal_info(Refusal::bad_compression).code, CloseCode::invalid_data);
  EXPECT_EQ(refusal_info(Refusal::bad_close_code).code, CloseCode::protocol_error);
  EXPECT_EQ(refusal_info(Refusal::bad_close_reason).code, CloseCode::invalid_data);
}

TEST(CloseCode, only_these_may_be_sent) {
  for (unsigned code = 0; code <= 65535; ++code) {
    const bool is_good = (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
                         (code >= 3000 && code <= 4999);
    EXPECT_EQ(is_sendable(static_cast<std::uint16_t>(code)), is_good) << code;
  }
}

TEST(CloseCode, each_has_a_name) {
  EXPECT_EQ(name_of(CloseCode::going_away), "going away");
  EXPECT_EQ(name_of(CloseCode::tls_failure), "TLS failure");
  EXPECT_EQ(name_of(static_cast<CloseCode>(2999)), "unknown code");
  EXPECT_EQ(name_of(static_cast<CloseCode>(3000)), "library code");
  EXPECT_EQ(name_of(static_cast<CloseCode>(3999)), "library code");
  EXPECT_EQ(name_of(static_cast<CloseCode>(4000)), "application code");
  EXPECT_EQ(name_of(static_cast<CloseCode>(4999)), "application code");
  EXPECT_EQ(name_of(static_cast<CloseCode>(5000)), "unknown code");
}

}  // namespace
}  // namespace eider::ws
