#include "eider/protocols/http/ws/deflate_offer.h"

#include <gtest/gtest.h>

#include <string>

namespace eider::ws {
namespace {

constexpr Takeover kDropped = Takeover::dropped;

/// Returns the server's response, or "" if it does not use the extension.
std::string response(std::string_view offers, const DeflateWishes& wishes = {}) {
  const auto list = read_extension_list(offers);
  const auto choice = list.has_value() ? choose_deflate(*list, wishes) : std::nullopt;
  return choice.has_value() ? choice->response : "";
}

struct Offered {
  std::string_view offer;
  std::string_view response;
};

TEST(DeflateOffer, a_server_without_wishes_meets_what_is_offered) {
  const Offered all[] = {
      {"permessage-deflate", "permessage-deflate"},
      {"PerMessage-Deflate", "permessage-deflate"},
      {"permessage-deflate; client_max_window_bits", "permessage-deflate"},
      {"permessage-deflate; client_max_window_bits=15", "permessage-deflate"},
      {"permessage-deflate; client_max_window_bits=10",
       "permessage-deflate; client_max_window_bits=10"},
      {"permessage-deflate; client_max_window_bits=8",
       "permessage-deflate; client_max_window_bits=8"},
      {"permessage-deflate; server_max_window_bits=10",
       "permessage-deflate; server_max_window_bits=10"},
      {"permessage-deflate; server_max_window_bits=\"10\"",
       "permessage-deflate; server_max_window_bits=10"},
      {"permessage-deflate; server_max_window_bits=15",
       "permessage-deflate; server_max_window_bits=15"},
      {"permessage-deflate; server_no_context_takeover",
       "permessage-deflate; server_no_context_takeover"},
      {"permessage-deflate; client_no_context_takeover",
       "permessage-deflate; client_no_context_takeover"},
      {"permessage-deflate; client_max_window_bits=9; server_max_window_bits=9; "
       "client_no_context_takeover; server_no_context_takeover",
       "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
       "server_max_window_bits=9; client_max_window_bits=9"},
      {"foo, permessage-deflate", "permessage-deflate"},
      // The first one that can be met; one that cannot is skipped.
      {"permessage-deflate; server_max_window_bits=10, permessage-deflate",
       "permessage-deflate; server_max_window_bits=10"},
      {"permessage-deflate; server_max_window_bits=8, permessage-deflate", "permessage-deflate"},
      {"permessage-deflate; nonsense, permessage-deflate; server_no_context_takeover",
       "permessage-deflate; server_no_context_takeover"},
  };
  for (const Offered& one : all) {
    EXPECT_EQ(response(one.offer), one.response) << one.offer;
  }
}

TEST(DeflateOffer, bad_offers_are_declined) {
  for (const std::string_view parameter : {"server_max_window_bits",
                                           "server_max_window_bits=7",
                                           "server_max_window_bits=16",
                                           "server_max_window_bits=0",
                                           "server_max_window_bits=010",
                                           "server_max_window_bits=09",
                                           "server_max_window_bits=x",
                                           "server_max_window_bits=-9",
                                           "server_max_window_bits=+9",
                                           "server_max_window_bits=9.0",
                                           "server_max_window_bits=99999999999999999999",
                                           "client_max_window_bits=7",
                                           "client_max_window_bits=16",
                                           "client_max_window_bits=08",
                                           "client_max_window_bits=x",
                                           "client_max_window_bits=1e1",
                                           "server_no_context_takeover=1",
                                           "server_no_context_takeover=\"true\"",
                                           "client_no_context_takeover=0",
                                           "unknown",
                                           "unknown=1",
                                           "server_max_window_bits=10; server_max_window_bits=10",
                                           "client_max_window_bits; client_max_window_bits",
                                           "client_max_window_bits; client_max_window_bits=10",
                                           "server_no_context_takeover; server_no_context_takeover",
                                           "client_no_context_takeover; Client_No_Context_Takeover",
                                           "server_max_window_bits=8"}) {
    EXPECT_EQ(response("permessage-deflate; " + std::string(parameter)), "") << parameter;
  }
  EXPECT_EQ(response("x-webkit-deflate-frame"), "");
  EXPECT_EQ(response("permessage-deflated"), "");
  EXPECT_EQ(response(""), "");
}

TEST(DeflateOffer, a_server_tells_its_wishes_where_it_may) {
  const DeflateWishes small{{kDropped, kDropped, 12, 11}};
  EXPECT_EQ(response("permessage-deflate", small),
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
            "server_max_window_bits=12");
  EXPECT_EQ(response("permessage-deflate; client_max_window_bits", small),
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
            "server_max_window_bits=12; client_max_window_bits=11");
  EXPECT_EQ(
      response("permessage-deflate; client_max_window_bits=10; server_max_window_bits=9", small),
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
      "server_max_window_bits=9; client_max_window_bits=10");
}

TEST(DeflateOffer, the_terms_are_those_that_were_answered) {
  const auto list = read_extension_list(
      "permessage-deflate; client_max_window_bits=10; server_no_context_takeover");
  const auto choice = choose_deflate(*list, {});
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->terms, (DeflateTerms{.server_takeover = kDropped, .client_window_bits = 10}));
}

TEST(DeflateOffer, a_client_offers_what_it_wishes) {
  EXPECT_EQ(deflate_offer({}), "permessage-deflate; client_max_window_bits");
  EXPECT_EQ(deflate_offer({{kDropped, kDropped, 10, 9}}),
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
            "server_max_window_bits=10; client_max_window_bits=9");
}

struct AnsweredTerms {
  std::string_view response;
  DeflateTerms terms;
};

TEST(DeflateOffer, a_client_takes_what_it_may_be_answered) {
  const AnsweredTerms all[] = {
      {"permessage-deflate", {}},
      {"permessage-deflate; server_no_context_takeover", {.server_takeover = kDropped}},
      {"permessage-deflate; client_no_context_takeover", {.client_takeover = kDropped}},
      {"permessage-deflate; server_max_window_bits=8", {.server_window_bits = 8}},
      {"permessage-deflate; client_max_window_bits=9", {.client_window_bits = 9}},
      {"permessage-deflate; client_max_window_bits=15; server_max_window_bits=15", {}},
  };
  for (const AnsweredTerms& one : all) {
    const auto list = read_extension_list(one.response);
    const auto terms = check_deflate_response(*list, {});
    ASSERT_TRUE(terms.has_value() && terms->has_value()) << one.response;
    EXPECT_EQ(**terms, one.terms) << one.response;
  }
  const auto none = check_deflate_response({}, {});
  EXPECT_TRUE(none.has_value() && !none->has_value());
}

bool is_refused(std::string_view response, const DeflateWishes& wishes = {}) {
  const auto list = read_extension_list(response);
  return !list.has_value() || !check_deflate_response(*list, wishes).has_value();
}

TEST(DeflateOffer, a_client_refuses_other_responses) {
  for (const std::string_view response :
       {"foo", "permessage-deflate, permessage-deflate", "permessage-deflate, foo",
        "permessage-deflate; client_max_window_bits", "permessage-deflate; server_max_window_bits",
        "permessage-deflate; client_max_window_bits=7",
        "permessage-deflate; server_max_window_bits=16",
        "permessage-deflate; server_no_context_takeover=1", "permessage-deflate; unknown",
        "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
        // A window that its own compressor does not support.
        "permessage-deflate; client_max_window_bits=8"}) {
    EXPECT_TRUE(is_refused(response)) << response;
  }
}

TEST(DeflateOffer, a_client_refuses_more_than_it_has_offered) {
  const DeflateWishes small{{kDropped, Takeover::kept, 10, 11}};
  EXPECT_FALSE(
      is_refused("permessage-deflate; server_no_context_takeover; "
                 "server_max_window_bits=10; client_max_window_bits=11",
                 small));
  EXPECT_FALSE(
      is_refused("permessage-deflate; server_no_context_takeover; "
                 "server_max_window_bits=9",
                 small));
  EXPECT_TRUE(is_refused("permessage-deflate; server_max_window_bits=10", small));
  EXPECT_TRUE(is_refused("permessage-deflate; server_no_context_takeover", small));
  EXPECT_TRUE(
      is_refused("permessage-deflate; server_no_context_takeover; "
                 "server_max_window_bits=11",
                 small));
  EXPECT_TRUE(
      is_refused("permessage-deflate; server_no_context_takeover; "
                 "server_max_window_bits=10; client_max_window_bits=12",
                 small));
}

TEST(DeflateOffer, both_ends_come_to_the_same_terms) {
  for (const Takeover takeover : {Takeover::kept, kDropped}) {
    for (std::uint8_t server_bits = 9; server_bits <= 15; ++server_bits) {
      for (std::uint8_t client_bits = 9; client_bits <= 15; ++client_bits) {
        const DeflateWishes client{{takeover, Takeover::kept, server_bits, client_bits}};
        const DeflateWishes server{{Takeover::kept, takeover, 12, 13}};
        const std::string offer = deflate_offer(client);
        const auto choice = choose_deflate(*read_extension_list(offer), server);
        ASSERT_TRUE(choice.has_value()) << offer;
        const auto terms = check_deflate_response(*read_extension_list(choice->response), client);
        ASSERT_TRUE(terms.has_value()) << choice->response;
        EXPECT_EQ(**terms, choice->terms) << offer << " / " << choice->response;
      }
    }
  }
}

}  // namespace
}  // namespace eider::ws
