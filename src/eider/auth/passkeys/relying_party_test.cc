#include "eider/auth/passkeys/relying_party.h"

#include <gtest/gtest.h>

#include "eider/auth/passkeys/test_authenticator.h"
#include "eider/core/base/failure.h"

namespace eider::detail::passkeys {
namespace {

constexpr std::int64_t kNow = 1'800'000'000;
constexpr std::string_view kBrowser = "a browser";
const PasskeyUser kAnn{.key = "ann", .name = "ann@example.com", .display_name = "Ann"};

PasskeyOptions options() {
  return {.relying_party_id = "example.com",
          .origins = {"https://example.com", "https://shop.example.com"},
          .name = "Example"};
}

/// A relying party, an authenticator, and a registered passkey.
struct Both {
  explicit Both(PasskeyOptions its_options = options(), int algorithm = -7)
      : party(std::move(its_options)), authenticator(algorithm) {}

  [[nodiscard]] std::string begin(const std::vector<Passkey>& known = {}) const {
    return party.begin_registration(kAnn, kBrowser, known, kNow);
  }
  Result<PasskeyRegistration, PasskeyError> sign_up(const Saying& saying = {}) {
    return party.finish_registration(authenticator.create(begin(), saying), kBrowser, kNow);
  }
  Result<PasskeyLogin, PasskeyError> finish(const std::string& response, Passkey passkey,
                                            std::int64_t now = kNow) {
    auto opened = party.open_login(response, kBrowser, now);
    if (!opened) {
      return fail(opened.error());
    }
    return party.finish_login(*opened, std::move(passkey), now);
  }
  Result<PasskeyLogin, PasskeyError> log_in(const Saying& saying, const Passkey& passkey) {
    return finish(authenticator.get(party.begin_login("", kBrowser, {}, kNow), saying), passkey);
  }

  RelyingParty party;
  SoftAuthenticator authenticator;
};

std::string with(std::string_view json, std::string_view pointer, json::Value value) {
  json::Value all = *json::read<json::Value>(json);
  const_cast<json::Value&>(all.at(pointer)) = std::move(value);
  return json::to_text(all);
}

TEST(RelyingParty, begins_a_registration_with_what_browsers_take) {
  Both both;
  const json::Value all = *json::read<json::Value>(both.begin());
  const json::Value& created = all.at("/publicKey");
  EXPECT_EQ(created.at("/rp/id").text(), "example.com");
  EXPECT_EQ(created.at("/rp/name").text(), "Example");
  EXPECT_EQ(created.at("/user/name").text(), "ann@example.com");
  EXPECT_EQ(created.at("/user/displayName").text(), "Ann");
  EXPECT_EQ(from_base64url(created.at("/user/id").text())->size(), 32U);
  EXPECT_EQ(from_base64url(created.at("/challenge").text())->size(), 32U);
  EXPECT_EQ(json::to_text(created.at("/pubKeyCredParams")),
            R"([{"type":"public-key","alg":-8},{"type":"public-key","alg":-7},)"
            R"({"type":"public-key","alg":-257}])");
  EXPECT_EQ(created.at("/timeout").integer(), 300'000);
  EXPECT_EQ(created.at("/authenticatorSelection/userVerification").text(), "required");
  EXPECT_EQ(created.at("/authenticatorSelection/residentKey").text(), "required");
  EXPECT_EQ(created.at("/attestation").text(), "none");
}

TEST(RelyingParty, begins_with_another_challenge_each_time) {
  Both both;
  const json::Value one = *json::read<json::Value>(both.begin());
  const json::Value other = *json::read<json::Value>(both.begin());
  EXPECT_NE(one.at("/publicKey/challenge").text(), other.at("/publicKey/challenge").text());
  EXPECT_NE(one.at("/publicKey/user/id").text(), other.at("/publicKey/user/id").text());
}

TEST(RelyingParty, makes_no_passkey_twice_for_one_user_and_keeps_his_handle) {
  Both both;
  const Passkey known = both.sign_up()->passkey;
  const json::Value all =
      *json::read<json::Value>(both.party.begin_registration(kAnn, kBrowser, {known}, kNow));
  EXPECT_EQ(all.at("/publicKey/user/id").text(), known.user_handle);
  EXPECT_EQ(
      json::to_text(all.at("/publicKey/excludeCredentials")),
      R"([{"type":"public-key","id":")" + known.id + R"(","transports":["internal","hybrid"]}])");
}

TEST(RelyingParty, registers_and_logs_in_by_each_algorithm) {
  for (const int algorithm : {-7, -8, -257}) {
    Both both(options(), algorithm);
    const auto made = both.sign_up({.flags = 0x1D, .counter = 3});
    ASSERT_TRUE(made) << algorithm << made.error().text;
    EXPECT_EQ(made->user.key, "ann");
    const Passkey& passkey = made->passkey;
    EXPECT_EQ(passkey.id, both.authenticator.id());
    EXPECT_EQ(passkey.user, "ann");
    EXPECT_EQ(passkey.counter, 3);
    EXPECT_TRUE(passkey.is_backup_eligible);
    EXPECT_TRUE(passkey.is_backed_up);
    EXPECT_TRUE(passkey.is_verified);
    EXPECT_EQ(passkey.transports, "internal hybrid");
    EXPECT_EQ(passkey.aaguid, "11111111-1111-1111-1111-111111111111");
    EXPECT_EQ(passkey.attestation, "none");
    const auto login = both.log_in({.flags = 0x0D, .counter = 4}, passkey);
    ASSERT_TRUE(login) << algorithm << login.error().text;
    EXPECT_EQ(login->passkey.counter, 4);
    EXPECT_FALSE(login->passkey.is_backed_up);
    EXPECT_TRUE(login->is_verified);
    EXPECT_FALSE(login->counter_not_increased);
  }
}

struct Refusal {
  const char* what;
  Saying saying;
  PasskeyFault fault;
};

TEST(RelyingParty, refuses_registrations_that_are_not_as_they_were_begun) {
  const std::string other_key = SoftKey(-7).cose();
  const Refusal refusals[] = {
      {"type", {.type = "webauthn.get"}, PasskeyFault::wrong_type},
      {"challenge", {.challenge = "AAAA"}, PasskeyFault::wrong_challenge},
      {"empty challenge", {.challenge = ""}, PasskeyFault::wrong_challenge},
      {"origin", {.origin = "https://evil.example"}, PasskeyFault::wrong_origin},
      {"origin in the clear", {.origin = "http://example.com"}, PasskeyFault::wrong_origin},
      {"port", {.origin = "https://example.com:8443"}, PasskeyFault::wrong_origin},
      {"host below", {.origin = "https://a.example.com"}, PasskeyFault::wrong_origin},
      {"origin that begins so", {.origin = "https://example.com.evil"}, PasskeyFault::wrong_origin},
      {"frame", {.more_client_data = R"(,"crossOrigin":true)"}, PasskeyFault::cross_origin},
      {"top",
       {.more_client_data = R"(,"topOrigin":"https://example.com")"},
       PasskeyFault::cross_origin},
      {"frame is no boolean", {.more_client_data = R"(,"crossOrigin":1)"}, PasskeyFault::malformed},
      {"twice", {.more_client_data = R"(,"origin":"https://a")"}, PasskeyFault::malformed},
      {"relying party", {.relying_party = "evil.example"}, PasskeyFault::wrong_relying_party},
      {"nobody there", {.flags = 0x04}, PasskeyFault::not_present},
      {"not verified", {.flags = 0x01}, PasskeyFault::not_verified},
      {"backed up without being eligible", {.flags = 0x15}, PasskeyFault::bad_flags},
      {"extensions that are none", {.extensions = "\x01"}, PasskeyFault::malformed},
      {"bytes behind", {.public_key = other_key + "x"}, PasskeyFault::malformed},
      {"no key", {.public_key = cbor_map(0)}, PasskeyFault::bad_key},
      {"none that says something",
       {.statement = cbor_map(1) + cbor_text("a") + cbor_text("b")},
       PasskeyFault::bad_attestation},
      {"packed of another's key",
       {.format = "packed", .public_key = other_key},
       PasskeyFault::bad_attestation},
      {"packed without a word",
       {.format = "packed", .statement = cbor_map(0)},
       PasskeyFault::bad_attestation},
      {"packed with a bad signature",
       {.format = "packed", .signature = "abc"},
       PasskeyFault::bad_attestation},
  };
  for (const Refusal& refusal : refusals) {
    Both both;
    const auto made = both.sign_up(refusal.saying);
    ASSERT_FALSE(made) << refusal.what;
    EXPECT_EQ(made.error().fault, refusal.fault) << refusal.what << ": " << made.error().text;
  }
}

TEST(RelyingParty, refuses_logins_that_are_not_as_they_were_begun) {
  const Refusal refusals[] = {
      {"type", {.type = "webauthn.create"}, PasskeyFault::wrong_type},
      {"challenge", {.challenge = "AAAA"}, PasskeyFault::wrong_challenge},
      {"origin", {.origin = "https://evil.example"}, PasskeyFault::wrong_origin},
      {"frame", {.more_client_data = R"(,"crossOrigin":true)"}, PasskeyFault::cross_origin},
      {"relying party", {.relying_party = "evil.example"}, PasskeyFault::wrong_relying_party},
      {"nobody there", {.flags = 0x04, .counter = 9}, PasskeyFault::not_present},
      {"not verified", {.flags = 0x01, .counter = 9}, PasskeyFault::not_verified},
      {"eligible by now", {.flags = 0x0D, .counter = 9}, PasskeyFault::bad_flags},
      {"backed up", {.flags = 0x15, .counter = 9}, PasskeyFault::bad_flags},
      {"signature", {.counter = 9, .signature = "abc"}, PasskeyFault::bad_signature},
      {"no signature", {.counter = 9, .signature = ""}, PasskeyFault::bad_signature},
      {"counter as before", {.counter = 5}, PasskeyFault::counter_not_increased},
      {"counter below", {.counter = 4}, PasskeyFault::counter_not_increased},
      {"no counter any more", {.counter = 0}, PasskeyFault::counter_not_increased},
      {"another user", {.counter = 9, .user_handle = "AAAA"}, PasskeyFault::wrong_user},
      {"no user", {.counter = 9, .user_handle = "-"}, PasskeyFault::malformed},
  };
  Both both;
  const Passkey passkey = both.sign_up({.counter = 5})->passkey;
  for (const Refusal& refusal : refusals) {
    const auto login = both.log_in(refusal.saying, passkey);
    ASSERT_FALSE(login) << refusal.what;
    EXPECT_EQ(login.error().fault, refusal.fault) << refusal.what << ": " << login.error().text;
  }
  EXPECT_TRUE(both.log_in({.counter = 6}, passkey)) << "and the right one is still taken";
}

TEST(RelyingParty, tells_a_counter_that_went_back_where_it_may) {
  PasskeyOptions own = options();
  own.requires_counter_increase = false;
  Both both(own);
  const Passkey passkey = both.sign_up({.counter = 5})->passkey;
  const auto login = both.log_in({.counter = 2}, passkey);
  ASSERT_TRUE(login);
  EXPECT_TRUE(login->counter_not_increased);
  EXPECT_EQ(login->passkey.counter, 5) << "it does not go back here";
}

TEST(RelyingParty, takes_another_users_passkey_for_nobody) {
  Both ann;
  const Passkey passkey = ann.sign_up()->passkey;
  const std::string begun = ann.party.begin_login("bob", kBrowser, {}, kNow);
  const auto login = ann.finish(ann.authenticator.get(begun), passkey);
  ASSERT_FALSE(login);
  EXPECT_EQ(login.error().fault, PasskeyFault::wrong_user);
  const std::string own = ann.party.begin_login("ann", kBrowser, {passkey}, kNow);
  EXPECT_TRUE(ann.finish(ann.authenticator.get(own, {.user_handle = "-"}), passkey))
      << "whose it is was known before";
}

TEST(RelyingParty, takes_none_but_those_that_were_asked_for) {
  Both both;
  const Passkey passkey = both.sign_up()->passkey;
  Passkey other = passkey;
  other.id = to_base64url("another id");
  const std::string begun = both.party.begin_login("ann", kBrowser, {other}, kNow);
  const auto login = both.finish(both.authenticator.get(begun), passkey);
  ASSERT_FALSE(login);
  EXPECT_EQ(login.error().fault, PasskeyFault::wrong_user);
}

TEST(RelyingParty, takes_none_of_a_user_of_whom_none_is_asked_for) {
  Both both;
  const Passkey passkey = both.sign_up()->passkey;
  const std::string begun = both.party.begin_login("ann", kBrowser, {}, kNow);
  const auto login = both.finish(both.authenticator.get(begun), passkey);
  ASSERT_FALSE(login);
  EXPECT_EQ(login.error().fault, PasskeyFault::wrong_user);
}

TEST(RelyingParty, keeps_nothing_of_registrations_so_that_strangers_fill_nothing) {
  PasskeyOptions own = options();
  own.logins_max = 1;
  Both both(own);
  const Passkey passkey = both.sign_up()->passkey;
  SoftAuthenticator stranger(-7, "one id again and again");
  for (int count = 0; count < 300; ++count) {
    ASSERT_TRUE(both.party.finish_registration(stranger.create(both.begin()), kBrowser, kNow));
  }
  const auto login = both.log_in({}, passkey);
  ASSERT_TRUE(login) << login.error().text;
}

TEST(RelyingParty, shows_browsers_nothing_of_its_tickets) {
  Both both;
  const PasskeyUser user{.key = "account 17", .name = "ann@example.com"};
  const std::string begun = both.party.begin_registration(user, kBrowser, {}, kNow);
  const std::string ticket = json::read<json::Value>(begun)->at("/ticket").text();
  const std::string bytes = from_base64url(ticket).value();
  for (const char* const word : {"account 17", "ann@example.com", "challenge", "user"}) {
    EXPECT_FALSE(bytes.contains(word)) << word;
  }
  const std::string again = both.party.begin_registration(user, kBrowser, {}, kNow);
  EXPECT_NE(json::read<json::Value>(again)->at("/ticket").text().substr(0, 43),
            ticket.substr(0, 43))
      << "each has a key of its own";
}

TEST(RelyingParty, takes_a_challenge_of_a_login_once) {
  Both both;
  const Passkey passkey = both.sign_up()->passkey;
  const std::string got = both.authenticator.get(both.party.begin_login("", kBrowser, {}, kNow));
  EXPECT_TRUE(both.finish(got, passkey));
  const auto replayed = both.finish(got, passkey, kNow + 299);
  ASSERT_FALSE(replayed);
  EXPECT_EQ(replayed.error().fault, PasskeyFault::used);
}

TEST(RelyingParty, takes_no_response_that_comes_too_late) {
  Both both;
  const std::string created = both.authenticator.create(both.begin());
  const auto late = both.party.finish_registration(created, kBrowser, kNow + 300);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().fault, PasskeyFault::expired);
  EXPECT_TRUE(both.party.finish_registration(created, kBrowser, kNow + 299));
}

TEST(RelyingParty, remembers_so_many_logins_and_no_more) {
  PasskeyOptions own = options();
  own.logins_max = 2;
  Both both(own);
  const Passkey passkey = both.sign_up()->passkey;
  EXPECT_TRUE(both.log_in({}, passkey));
  EXPECT_TRUE(both.log_in({}, passkey));
  const auto third = both.log_in({}, passkey);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().fault, PasskeyFault::busy);
  const std::string begun = both.party.begin_login("", kBrowser, {}, kNow + 300);
  EXPECT_TRUE(both.finish(both.authenticator.get(begun), passkey, kNow + 300))
      << "those from before are forgotten, whose tickets have ended";
}

TEST(RelyingParty, takes_no_ticket_of_others) {
  Both both;
  const std::string created = both.authenticator.create(both.begin());
  const auto fault_of = [&](const std::string& json, std::string_view browser) {
    const auto made = both.party.finish_registration(json, browser, kNow);
    return made ? std::nullopt : std::optional(made.error().fault);
  };
  EXPECT_EQ(fault_of(created, "another browser"), PasskeyFault::bad_ticket);
  EXPECT_EQ(fault_of(created, ""), PasskeyFault::bad_ticket);
  const std::string ticket = json::read<json::Value>(created)->at("/ticket").text();
  for (std::size_t at = 0; at < ticket.size(); ++at) {
    std::string changed = ticket;
    changed[at] = changed[at] == 'A' ? 'B' : 'A';
    EXPECT_EQ(fault_of(with(created, "/ticket", changed), kBrowser), PasskeyFault::bad_ticket);
    EXPECT_EQ(fault_of(with(created, "/ticket", ticket.substr(0, at)), kBrowser),
              PasskeyFault::bad_ticket);
  }
  Both stranger;  // with a key of its own
  EXPECT_EQ(fault_of(stranger.authenticator.create(stranger.begin()), kBrowser),
            PasskeyFault::bad_ticket);
  const std::string login = both.party.begin_login("", kBrowser, {}, kNow);
  const std::string of_login = json::read<json::Value>(login)->at("/ticket").text();
  EXPECT_EQ(fault_of(with(created, "/ticket", of_login), kBrowser), PasskeyFault::bad_ticket);
  EXPECT_EQ(fault_of(created, kBrowser), std::nullopt);
}

TEST(RelyingParty, opens_tickets_of_another_process_with_its_key_until_it_is_given_up) {
  PasskeyOptions own = options();
  own.keys = {std::string(32, 'n'), std::string(32, 'o')};
  PasskeyOptions before = options();
  before.keys = {std::string(32, 'o')};
  Both old(before);
  Both both(own);
  const std::string created = old.authenticator.create(old.begin());
  EXPECT_TRUE(both.party.finish_registration(created, kBrowser, kNow));
  own.keys.pop_back();
  Both later(own);
  EXPECT_FALSE(later.party.finish_registration(created, kBrowser, kNow));
}

TEST(RelyingParty, refuses_algorithms_that_were_not_asked_for) {
  PasskeyOptions own = options();
  own.algorithms = {PasskeyAlgorithm::es256};
  Both both(own, -8);
  const auto made = both.sign_up();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().fault, PasskeyFault::bad_key);
}

TEST(RelyingParty, lets_be_unverified_whom_it_has_not_asked) {
  PasskeyOptions own = options();
  own.user_verification = UserVerification::preferred;
  Both both(own);
  const auto made = both.sign_up({.flags = 0x01});
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->passkey.is_verified);
  const auto login = both.log_in({.flags = 0x05}, made->passkey);
  ASSERT_TRUE(login);
  EXPECT_TRUE(login->is_verified);
  EXPECT_FALSE(login->passkey.is_verified) << "a login does not raise what it is worth";
}

TEST(RelyingParty, is_used_in_frames_of_those_that_it_names) {
  PasskeyOptions own = options();
  own.top_origins = {"https://friend.example"};
  const auto fault_with = [&](const std::string& more) {
    Both both(own);
    const auto made = both.sign_up({.more_client_data = more});
    return made ? std::nullopt : std::optional(made.error().fault);
  };
  EXPECT_EQ(fault_with(R"(,"crossOrigin":true,"topOrigin":"https://friend.example")"),
            std::nullopt);
  EXPECT_EQ(fault_with(R"(,"crossOrigin":true,"topOrigin":"https://evil.example")"),
            PasskeyFault::cross_origin);
  EXPECT_EQ(fault_with(R"(,"crossOrigin":true)"), PasskeyFault::cross_origin);
}

TEST(RelyingParty, knows_an_authenticator_that_signs_for_itself) {
  for (const int algorithm : {-7, -8, -257}) {
    Both both(options(), algorithm);
    const auto made = both.sign_up({.format = "packed"});
    ASSERT_TRUE(made) << made.error().text;
    EXPECT_EQ(made->passkey.attestation, "self");
  }
}

TEST(RelyingParty, takes_formats_that_it_does_not_know_for_none) {
  Both both;
  const auto made = both.sign_up(
      {.format = "later", .statement = cbor_map(1) + cbor_text("a") + cbor_bytes("b")});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->passkey.attestation, "none");
}

TEST(RelyingParty, refuses_ids_that_are_not_the_credentials_own) {
  Both both;
  const std::string created = both.authenticator.create(both.begin());
  const std::string other = to_base64url("x");
  for (const std::string& json :
       {with(created, "/credential/id", other), with(created, "/credential/rawId", other),
        with(with(created, "/credential/id", other), "/credential/rawId", other),
        with(created, "/credential/type", "password"), with(created, "/credential/id", 1)}) {
    const auto made = both.party.finish_registration(json, kBrowser, kNow);
    ASSERT_FALSE(made) << json;
    EXPECT_EQ(made.error().fault, PasskeyFault::malformed);
  }
  Both long_one;
  long_one.authenticator = SoftAuthenticator(-7, std::string(1023, 'i'));
  EXPECT_TRUE(long_one.sign_up());
  long_one.authenticator = SoftAuthenticator(-7, std::string(1024, 'i'));
  EXPECT_FALSE(long_one.sign_up());
}

TEST(RelyingParty, refuses_answers_that_are_cut_at_any_byte) {
  Both both;
  const Passkey passkey = both.sign_up()->passkey;
  const std::string created = both.authenticator.create(both.begin({passkey}));
  const std::string got = both.authenticator.get(both.party.begin_login("", kBrowser, {}, kNow));
  for (std::size_t size = 0; size < created.size(); ++size) {
    EXPECT_FALSE(both.party.finish_registration(created.substr(0, size), kBrowser, kNow)) << size;
  }
  for (std::size_t size = 0; size < got.size(); ++size) {
    EXPECT_FALSE(both.finish(got.substr(0, size), passkey)) << size;
  }
  EXPECT_TRUE(both.party.finish_registration(created, kBrowser, kNow));
  EXPECT_TRUE(both.finish(got, passkey));
}

TEST(RelyingParty, refuses_parts_that_are_cut_at_any_byte) {
  Both both;
  const Passkey passkey = both.sign_up()->passkey;
  const auto cut = [&](const std::string& json, const char* pointer, const auto& is_taken) {
    const std::string whole = *from_base64url(json::read<json::Value>(json)->at(pointer).text());
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(is_taken(with(json, pointer, to_base64url(whole.substr(0, size)))))
          << pointer << " " << size;
    }
    EXPECT_FALSE(is_taken(with(json, pointer, to_base64url(whole + "x")))) << pointer;
  };
  const auto is_made = [&](const std::string& json) {
    return both.party.finish_registration(json, kBrowser, kNow).has_value();
  };
  const auto is_login = [&](const std::string& json) {
    return both.finish(json, passkey).has_value();
  };
  const std::string created =
      both.authenticator.create(both.begin({passkey}), {.format = "packed"});
  const std::string got = both.authenticator.get(both.party.begin_login("", kBrowser, {}, kNow));
  cut(created, "/credential/response/clientDataJSON", is_made);
  cut(created, "/credential/response/attestationObject", is_made);
  cut(got, "/credential/response/clientDataJSON", is_login);
  cut(got, "/credential/response/authenticatorData", is_login);
  cut(got, "/credential/response/signature", is_login);
  EXPECT_TRUE(is_made(created));
  EXPECT_TRUE(is_login(got));
}

TEST(RelyingParty, says_at_the_start_what_options_cannot_be) {
  const auto is_refused = [](auto change) {
    PasskeyOptions own = options();
    change(own);
    EXPECT_THROW(RelyingParty{own}, Failure);
  };
  is_refused([](PasskeyOptions& own) { own.relying_party_id = ""; });
  is_refused([](PasskeyOptions& own) { own.relying_party_id = "https://example.com"; });
  is_refused([](PasskeyOptions& own) { own.relying_party_id = "example.com:443"; });
  is_refused([](PasskeyOptions& own) { own.origins = {}; });
  is_refused([](PasskeyOptions& own) { own.origins = {"example.com"}; });
  is_refused([](PasskeyOptions& own) { own.origins = {"https://example.com/"}; });
  is_refused([](PasskeyOptions& own) { own.origins = {"https://Example.com"}; });
  is_refused([](PasskeyOptions& own) { own.top_origins = {"https://example.com/"}; });
  is_refused([](PasskeyOptions& own) { own.algorithms = {}; });
  is_refused([](PasskeyOptions& own) { own.lifetime = {}; });
  is_refused([](PasskeyOptions& own) { own.keys = {"short"}; });
  is_refused([](PasskeyOptions& own) { own.attestation_roots = "no certificate"; });
  is_refused([](PasskeyOptions& own) { own.relying_party_id = "127.0.0.1"; });
  is_refused([](PasskeyOptions& own) { own.relying_party_id = ".example.com"; });
  is_refused([](PasskeyOptions& own) { own.relying_party_id = "example.com."; });
  Both both;
  EXPECT_THROW((void)both.party.begin_registration({}, kBrowser, {}, kNow), std::invalid_argument);
}

TEST(RelyingParty, says_how_an_origin_is_written_that_no_browser_sends) {
  const auto said_of = [](const std::string& origin, const std::string& domain) -> std::string {
    PasskeyOptions own = options();
    own.relying_party_id = domain;
    own.origins = {origin};
    try {
      const RelyingParty party(own);
    } catch (const Failure& failure) {
      return failure.error().cause();
    }
    return "";
  };
  const struct {
    const char* origin;
    const char* domain;
    const char* said;
  } cases[] = {
      {"https://example.com/", "example.com", "write it: 'https://example.com'"},
      {"https://example.com/shop", "example.com", "write it: 'https://example.com'"},
      {"https://example.com:443", "example.com", "write it: 'https://example.com'"},
      {"https://Example.com", "example.com", "write it: 'https://example.com'"},
      {"http://example.com", "example.com", "on https:// and http://localhost"},
      {"http://127.0.0.1:8080", "example.com", "on https:// and http://localhost"},
      {"https://example.org", "example.com", "subdomains, not 'https://example.org'"},
      {"https://myexample.com", "example.com", "subdomains, not 'https://myexample.com'"},
      {"https://example.com", "shop.example.com", "Use a domain that contains all origins"},
      {"ftp://example.com", "example.com", "look like https://example.com"},
      {"https://example.com:8443", "example.com", ""},
      {"https://a.example.com", "example.com", ""},
      {"http://localhost:8080", "localhost", ""},
      {"http://app.localhost", "localhost", ""},
      {"android:apk-key-hash:abc", "example.com", ""}};
  for (const auto& [origin, domain, said] : cases) {
    const std::string all = said_of(origin, domain);
    EXPECT_TRUE(*said == '\0' ? all.empty() : all.contains(said)) << origin << ": " << all;
  }
}

}  // namespace
}  // namespace eider::detail::passkeys
