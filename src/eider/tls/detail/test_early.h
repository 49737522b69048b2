// A client of plain OpenSSL that comes again and sends early data, and what a server makes of it.
// Must not be used outside of tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "eider/tls/detail/test_raw_peer.h"

namespace eider::detail {

/// A client whose sessions can be used again and again, as no good client does.
struct TestEarlyClient : TestRawClient {
  /// A connection that asks for `name`, to resume what `session` says.
  SSL* open_again(SSL_SESSION* session, const char* name = "a.example") {
    SSL* const made = open();
    SSL_set_tlsext_host_name(made, name);
    SSL_set_connect_state(made);
    if (session != nullptr) {
      const SessionPtr mine(SSL_SESSION_dup(session));  // a failure would spoil it
      SSL_set_session(made, mine.get());
    }
    return made;
  }

  /// The session of a whole connection with `server`, for a later one.
  SessionPtr get_session(std::unique_ptr<Seal> server) {
    open_again(nullptr);
    EXPECT_TRUE(shake_hands(*server)) << server->failure();
    char none = 0;
    SSL_read(ssl.get(), &none, 1);  // the tickets come behind the handshake
    ERR_clear_error();
    return SessionPtr(SSL_SESSION_dup(SSL_get0_session(ssl.get())));
  }

  /// ClientHello and early data, which the server has not had yet. Empty when the session allows
  /// none.
  std::string first_flight(SSL_SESSION* session, std::string_view data,
                           const char* name = "a.example") {
    open_again(session, name);
    std::size_t bytes = 0;
    const int outcome = SSL_write_early_data(ssl.get(), data.data(), data.size(), &bytes);
    ERR_clear_error();
    return outcome == 1 && bytes == data.size() ? take() : std::string();
  }

  /// Takes what the server has said. returns  the client's last flight
  std::string answer(std::string_view bytes) {
    give(bytes);
    is_done = SSL_do_handshake(ssl.get()) == 1;
    ERR_clear_error();
    return take();
  }

  /// Plaintext that has arrived.
  [[nodiscard]] std::string read_all() const {
    std::string all;
    std::array<char, 4096> room{};
    std::size_t bytes = 0;
    while (SSL_read_ex(ssl.get(), room.data(), room.size(), &bytes) == 1) {
      all.append(room.data(), bytes);
    }
    ERR_clear_error();
    return all;
  }

  void write(std::string_view text) const {
    EXPECT_GT(SSL_write(ssl.get(), text.data(), static_cast<int>(text.size())), 0);
  }

  [[nodiscard]] bool is_accepted() const {
    return SSL_get_early_data_status(ssl.get()) == SSL_EARLY_DATA_ACCEPTED;
  }
};

/// A server's end, with what it has read, by when it was read.
struct TestEarlyServer {
  explicit TestEarlyServer(std::unique_ptr<Seal> its_seal) : seal(std::move(its_seal)) {}

  SealState feed(std::string_view bytes, std::size_t bytes_max = std::string_view::npos) {
    while (!bytes.empty() && seal->state() != SealState::failed) {
      static_cast<void>(seal->feed(bytes.substr(0, bytes_max), wire));
      bytes.remove_prefix(std::min(bytes_max, bytes.size()));
      read_early();
      read_rest();
    }
    return seal->state();
  }
  std::string take() {
    std::string bytes(wire.view());
    wire.clear();
    return bytes;
  }

  std::unique_ptr<Seal> seal;
  Buffer wire;
  std::string early;
  std::string rest;

 private:
  void read_early() {
    std::array<char, 100> room{};
    while (seal->state() == SealState::early) {
      const std::size_t count = seal->read(room, wire);
      early.append(room.data(), count);
      if (count == 0) {
        return;
      }
    }
  }
  void read_rest() {
    std::array<char, 100> room{};
    while (const std::size_t count = seal->read(room, wire)) {
      rest.append(room.data(), count);
    }
  }
};

}  // namespace eider::detail
