// Early data in memory: when it is taken, cut anywhere, recorded and sent again, refused.
#include <gtest/gtest.h>

#include "eider/tls/detail/seal_engine.h"
#include "eider/tls/detail/server_tls.h"
#include "eider/tls/detail/test_early.h"
#include "eider/tls/detail/test_pki.h"
#include "eider/tls/tls.h"

namespace eider::detail {
namespace {

constexpr std::string_view kRequest = "GET /early HTTP/1.1\r\nHost: a\r\n\r\n";

Instant now;

class EarlySeals : public testing::Test {
 protected:
  EarlySeals() {
    now = Instant(std::chrono::hours(1));
    options.certificate = files.write("a", make_test_certificate({.names = "DNS:a.example"}));
    options.protocols = {"h2", "http/1.1"};
    set_alpn(client, "http/1.1");
  }

  std::unique_ptr<Seal> accept() {
    if (maker == nullptr) {
      maker = make(TlsEarlyData::taken);
    }
    return maker->make();
  }
  [[nodiscard]] std::shared_ptr<SealMaker> make(TlsEarlyData early) const {
    return ServerTls::make(options, nullptr, {.steady = [] { return now; }}, nullptr, early)
        .value();
  }
  static void set_alpn(const TestRawPeer& peer, std::string_view name) {
    std::string wire(1, static_cast<char>(name.size()));
    wire += name;
    SSL_CTX_set_alpn_protos(peer.context.get(), reinterpret_cast<const unsigned char*>(wire.data()),
                            static_cast<unsigned>(wire.size()));
  }
  /// Refused early data: the client sends it again, and it is read once, behind the handshake.
  void expect_refused(std::string_view flight) {
    ASSERT_FALSE(flight.empty());
    TestEarlyServer server(accept());
    ASSERT_EQ(server.feed(flight), SealState::handshaking) << server.seal->failure();
    server.feed(client.answer(server.take()));
    server.feed(client.answer(server.take()));
    ASSERT_EQ(server.seal->state(), SealState::open) << server.seal->failure();
    EXPECT_FALSE(client.is_accepted());
    client.write(kRequest);
    server.feed(client.take());
    EXPECT_EQ(server.early, "");
    EXPECT_EQ(server.rest, kRequest);
  }

  TestFiles files;
  TlsOptions options;
  std::shared_ptr<SealMaker> maker;
  TestEarlyClient client;
};

TEST_F(EarlySeals, announce_it_only_where_it_is_taken) {
  EXPECT_EQ(SSL_SESSION_get_max_early_data(client.get_session(accept()).get()), 16U * 1024);
  maker = make(TlsEarlyData::refused);
  EXPECT_EQ(SSL_SESSION_get_max_early_data(client.get_session(accept()).get()), 0U);
  options.early_data_bytes_max = 0;
  maker = make(TlsEarlyData::taken);
  EXPECT_EQ(SSL_SESSION_get_max_early_data(client.get_session(accept()).get()), 0U);
  options.early_data_bytes_max = 100;
  maker = make(TlsEarlyData::taken);
  EXPECT_EQ(SSL_SESSION_get_max_early_data(client.get_session(accept()).get()), 100U);
}

TEST_F(EarlySeals, refuse_a_bound_that_no_handshake_has_room_for) {
  options.early_data_bytes_max = SealEngine::kEarlyBytesMax + 1;
  const auto made = make_server_tls(options, nullptr, TlsEarlyData::taken);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().detail(), "TLS: early_data_bytes_max is at most 32768");
}

TEST_F(EarlySeals, answer_before_the_client_has_finished) {
  const SessionPtr session = client.get_session(accept());
  TestEarlyServer server(accept());
  EXPECT_EQ(server.feed(client.first_flight(session.get(), kRequest)), SealState::early);
  EXPECT_EQ(server.early, kRequest);
  EXPECT_EQ(server.seal->secured_by().protocol, "http/1.1");
  EXPECT_TRUE(server.seal->secured_by().is_resumed);
  ASSERT_TRUE(server.seal->write("the answer", server.wire));
  const std::string last_flight = client.answer(server.take());
  EXPECT_TRUE(client.is_accepted());
  EXPECT_EQ(client.read_all(), "the answer") << "half a round trip early";
  EXPECT_EQ(server.seal->state(), SealState::early);
  EXPECT_EQ(server.feed(last_flight), SealState::open);
  ASSERT_TRUE(server.seal->write("more", server.wire));
  client.answer(server.take());
  EXPECT_EQ(client.read_all(), "more");
}

TEST_F(EarlySeals, take_it_wherever_it_is_cut_in_two) {
  const SessionPtr session = client.get_session(accept());
  const std::size_t bytes = client.first_flight(session.get(), kRequest).size();
  ASSERT_GT(bytes, 200U);
  for (std::size_t cut = 1; cut < bytes; ++cut) {
    TestEarlyServer server(accept());
    const std::string flight = client.first_flight(session.get(), kRequest);
    server.feed(flight.substr(0, cut));
    ASSERT_EQ(server.feed(flight.substr(cut)), SealState::early) << cut;
    ASSERT_EQ(server.early, kRequest) << cut;
    ASSERT_EQ(server.feed(client.answer(server.take())), SealState::open) << cut;
  }
}

TEST_F(EarlySeals, tell_what_follows_the_handshake_from_it_wherever_that_is_cut) {
  const SessionPtr session = client.get_session(accept());
  for (std::size_t cut = 1;; ++cut) {
    TestEarlyServer server(accept());
    server.feed(client.first_flight(session.get(), "early "));
    std::string rest = client.answer(server.take());
    client.write("late");
    rest += client.take();
    if (cut >= rest.size()) {
      break;
    }
    server.feed(rest.substr(0, cut));
    ASSERT_EQ(server.feed(rest.substr(cut)), SealState::open) << cut;
    ASSERT_EQ(server.early, "early ") << cut;
    ASSERT_EQ(server.rest, "late") << cut;
  }
}

TEST_F(EarlySeals, work_byte_by_byte) {
  const SessionPtr session = client.get_session(accept());
  const std::string large(15'000, 'x');
  TestEarlyServer server(accept());
  server.feed(client.first_flight(session.get(), large), 1);
  EXPECT_EQ(server.early, large);
  ASSERT_TRUE(server.seal->write(std::string(100'000, 'y'), server.wire));
  server.feed(client.answer(server.take()), 1);
  EXPECT_EQ(server.seal->state(), SealState::open);
  EXPECT_EQ(client.read_all().size(), 100'000U);
}

TEST_F(EarlySeals, give_it_in_pieces_that_were_written_apart) {
  const SessionPtr session = client.get_session(accept());
  TestEarlyServer server(accept());
  std::string flight = client.first_flight(session.get(), "one ");
  std::size_t bytes = 0;
  ASSERT_EQ(SSL_write_early_data(client.ssl.get(), "two", 3, &bytes), 1);
  flight += client.take();
  ASSERT_EQ(server.feed(flight), SealState::early);
  EXPECT_EQ(server.early, "one two");
  EXPECT_TRUE(server.seal->write("1", server.wire));
  ASSERT_EQ(server.feed(client.answer(server.take())), SealState::open);
  EXPECT_EQ(client.read_all(), "1");
}

TEST_F(EarlySeals, write_between_the_end_of_it_and_the_end_of_the_handshake) {
  const SessionPtr session = client.get_session(accept());
  TestEarlyServer server(accept());
  server.feed(client.first_flight(session.get(), kRequest));
  const std::string last = client.answer(server.take());
  server.feed(last.substr(0, last.size() - 1));  // EndOfEarlyData, but not all of Finished
  ASSERT_EQ(server.seal->state(), SealState::early);
  ASSERT_TRUE(server.seal->write("between", server.wire));
  EXPECT_EQ(server.feed(last.substr(last.size() - 1)), SealState::open);
  client.answer(server.take());
  EXPECT_EQ(client.read_all(), "between");
}

TEST_F(EarlySeals, do_not_take_a_recorded_flight_again) {
  const SessionPtr session = client.get_session(accept());
  const std::string flight = client.first_flight(session.get(), kRequest);
  TestEarlyServer first(accept());
  ASSERT_EQ(first.feed(flight), SealState::early);
  for (int again = 0; again < 3; ++again) {
    TestEarlyServer server(accept());
    EXPECT_EQ(server.feed(flight), SealState::handshaking);
    EXPECT_EQ(server.early + server.rest, "");
    EXPECT_FALSE(server.wire.empty()) << "the handshake goes on; who replays cannot follow";
  }
  // It is the record that refuses: without it the same bytes are taken, while the ticket's age
  // fits.
  now += EarlyRecord::kKept + std::chrono::seconds(2);
  TestEarlyServer forgetful(accept());
  EXPECT_EQ(forgetful.feed(flight), SealState::early);
}

TEST_F(EarlySeals, go_on_with_a_new_certificate) {
  const SessionPtr session = client.get_session(accept());
  const std::string flight = client.first_flight(session.get(), kRequest);
  TestEarlyServer before(accept());
  ASSERT_EQ(before.feed(flight), SealState::early);
  options.certificate = files.write("a", make_test_certificate({.names = "DNS:a.example"}));
  now += ServerTls::kLookEvery * 2;
  TestEarlyServer recorded(accept());
  EXPECT_EQ(recorded.feed(flight), SealState::handshaking) << "still remembered";
  TestEarlyServer after(accept());
  EXPECT_EQ(after.feed(client.first_flight(session.get(), kRequest)), SealState::early);
  EXPECT_EQ(after.feed(client.answer(after.take())), SealState::open);
  EXPECT_EQ(before.seal->state(), SealState::early) << "and is not touched";
}

TEST_F(EarlySeals, take_one_ticket_twice_by_its_owner) {
  const SessionPtr session = client.get_session(accept());
  for (int again = 0; again < 2; ++again) {
    TestEarlyServer server(accept());
    EXPECT_EQ(server.feed(client.first_flight(session.get(), kRequest)), SealState::early);
  }
}

TEST_F(EarlySeals, refuse_a_ticket_whose_age_is_wrong) {
  const SessionPtr session = client.get_session(accept());
  SSL_SESSION_set_time(session.get(), SSL_SESSION_get_time(session.get()) - 30);
  expect_refused(client.first_flight(session.get(), kRequest));
}

// RFC 8446, section 4.6.1: the name "is always explicitly specified in the resumption handshake,
// and there is no need for the server to associate an SNI value with the ticket".
TEST_F(EarlySeals, take_it_for_any_name_of_the_server) {
  const SessionPtr session = client.get_session(accept());
  SSL_SESSION_set1_hostname(session.get(), "b.example");  // the client compares
  TestEarlyServer server(accept());
  server.feed(client.first_flight(session.get(), kRequest, "b.example"));
  EXPECT_EQ(server.seal->state(), SealState::early);
  EXPECT_EQ(server.seal->secured_by().server_name, "b.example");
}

TEST_F(EarlySeals, refuse_it_for_another_protocol) {
  const SessionPtr session = client.get_session(accept());
  set_alpn(client, "h2");
  const std::string h2 = "h2";
  SSL_SESSION_set1_alpn_selected(session.get(), reinterpret_cast<const unsigned char*>(h2.data()),
                                 h2.size());
  expect_refused(client.first_flight(session.get(), kRequest));
}

TEST_F(EarlySeals, refuse_it_when_the_tickets_key_is_gone) {
  const SessionPtr session = client.get_session(accept());
  now += TicketKeys::kTurn * (TicketKeys::kKept + 1);
  expect_refused(client.first_flight(session.get(), kRequest));
}

TEST_F(EarlySeals, refuse_it_when_the_client_has_to_say_hello_again) {
  SSL_CTX_set1_groups_list(client.context.get(), "P-521:P-256");
  const SessionPtr session = client.get_session(accept());
  expect_refused(client.first_flight(session.get(), kRequest));
}

TEST_F(EarlySeals, skip_it_where_it_is_no_longer_taken) {
  const SessionPtr session = client.get_session(accept());
  maker = make(TlsEarlyData::refused);
  expect_refused(client.first_flight(session.get(), std::string(kRequest)));
}

TEST_F(EarlySeals, end_a_client_that_sends_more_than_is_taken) {
  options.early_data_bytes_max = 1000;
  const SessionPtr session = client.get_session(accept());
  SSL_SESSION_set_max_early_data(session.get(), 100'000);
  TestEarlyServer server(accept());
  EXPECT_EQ(server.feed(client.first_flight(session.get(), std::string(1500, 'x'))),
            SealState::failed);
  EXPECT_LE(server.early.size(), 1000U);
}

TEST_F(EarlySeals, end_a_client_that_sends_it_without_end) {
  const SessionPtr session = client.get_session(accept());
  TestEarlyServer server(accept());
  server.feed(client.first_flight(session.get(), "x"));
  std::size_t fed = 0;
  for (; server.seal->state() == SealState::early && fed < 1'000'000; ++fed) {
    std::size_t bytes = 0;
    SSL_write_early_data(client.ssl.get(), "x", 1, &bytes);
    server.feed(client.take());
  }
  EXPECT_EQ(server.seal->state(), SealState::failed);
  EXPECT_LT(fed, SealEngine::kHandshakeBytesMax);
}

TEST_F(EarlySeals, notice_a_changed_byte) {
  const SessionPtr session = client.get_session(accept());
  const std::size_t bytes = client.first_flight(session.get(), kRequest).size();
  ASSERT_GT(bytes, 200U);
  constexpr std::size_t kRecordVersionBytes = 3;  // nobody reads it (RFC 8446, section 5.1)
  for (std::size_t at = kRecordVersionBytes; at < bytes; ++at) {
    TestEarlyServer server(accept());
    std::string flight = client.first_flight(session.get(), kRequest);
    flight[at] = static_cast<char>(flight[at] ^ 0x55);
    server.feed(flight);
    ASSERT_EQ(server.early, "") << at;
  }
}

TEST_F(EarlySeals, serve_others_as_before) {
  SSL_CTX_set_max_proto_version(client.context.get(), TLS1_2_VERSION);
  client.open_again(nullptr);
  const auto old = accept();
  EXPECT_TRUE(client.shake_hands(*old)) << old->failure();
  EXPECT_EQ(old->secured_by().version, "TLSv1.2");
}

TEST_F(EarlySeals, survive_their_end_at_any_point) {
  const SessionPtr session = client.get_session(accept());
  TestEarlyServer server(accept());
  server.feed(client.first_flight(session.get(), kRequest));
  server.feed(client.answer(server.take()));
  TestEarlyServer cut(accept());
  cut.feed(client.first_flight(session.get(), kRequest));
  EXPECT_EQ(cut.seal->state(), SealState::early) << "and is destroyed like that";
}

}  // namespace
}  // namespace eider::detail
