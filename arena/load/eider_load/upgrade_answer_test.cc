#include "upgrade_answer.h"

#include <gtest/gtest.h>

#include "eider/http/ws/handshake.h"

namespace load {
namespace {

constexpr std::string_view kRight =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection:Upgrade \r\n"
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

TEST(UpgradeAnswer, GivesStatusAndFields) {
  const UpgradeAnswer answer = read_upgrade_answer(kRight);
  EXPECT_EQ(answer.status, 101);
  ASSERT_EQ(answer.fields.size(), 3U);
  EXPECT_EQ(answer.fields[0].name, "Upgrade");
  EXPECT_EQ(answer.fields[1].value, "Upgrade");
  // The key and its answer of RFC 6455, section 1.3.
  EXPECT_TRUE(
      eider::ws::check_answer(answer.status, answer.fields, {.key = "dGhlIHNhbXBsZSBub25jZQ=="}));
  EXPECT_FALSE(
      eider::ws::check_answer(answer.status, answer.fields, {.key = "eGhlIHNhbXBsZSBub25jZQ=="}));
}

TEST(UpgradeAnswer, WhatIsNoneHasNoStatus) {
  for (const std::string_view head : {"", "\r\n", "HTTP/1.1", "HTTP/1.1 10", "HTTP/1.0 101 Old",
                                      "HTTP/2 101", "SSH-2.0-x", "HTTP/1.1 xyz"}) {
    EXPECT_EQ(read_upgrade_answer(head).status, 0) << head;
  }
}

TEST(UpgradeAnswer, ARefusalKeepsItsStatus) {
  EXPECT_EQ(read_upgrade_answer("HTTP/1.1 404 Not Found\r\nContent-Length: 0").status, 404);
}

TEST(UpgradeAnswer, CutAnywhereItIsReadWithoutHarm) {
  for (std::size_t bytes = 0; bytes <= kRight.size(); ++bytes) {
    const std::string cut(kRight.substr(0, bytes));
    const UpgradeAnswer answer = read_upgrade_answer(cut);
    EXPECT_LE(answer.fields.size(), 3U);
    for (const eider::Field& field : answer.fields) {
      EXPECT_FALSE(field.value.starts_with(' ') || field.value.ends_with(' ')) << cut;
    }
  }
}

TEST(UpgradeAnswer, LinesWithoutAColonArePassedOver) {
  const UpgradeAnswer answer = read_upgrade_answer("HTTP/1.1 101 x\r\nnonsense\r\n\r\nA:\t1\t");
  ASSERT_EQ(answer.fields.size(), 1U);
  EXPECT_EQ(answer.fields[0].value, "1");
}

}  // namespace
}  // namespace load
