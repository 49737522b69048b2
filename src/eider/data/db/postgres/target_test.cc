#include "eider/data/db/postgres/target.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "eider/testkit/temp_directory.h"

namespace eider::db::postgres {
namespace {

/// Returns the first host, if the socket directory has a socket for each port.
std::string first_host(const std::string& where) {
  const TempDirectory sockets;
  const std::string directory = sockets.path().string();
  std::ofstream(directory + "/.s.PGSQL.5432") << "";
  const auto target = read_target(where, {});
  if (!target) {
    return "not understood: " + target.error();
  }
  const Host first = target->unix_first(directory).front();
  return first.name == directory ? "the socket" : first.name;
}

TEST(PostgresTargets, only_localhost_is_tried_by_its_socket_and_never_where_tls_is_asked_for) {
  EXPECT_EQ(first_host("host=localhost"), "the socket");
  EXPECT_EQ(first_host("host=localhost sslmode=prefer"), "the socket");
  EXPECT_EQ(first_host("host=localhost port=5433"), "localhost");
  for (const char* mode : {"sslmode=require", "sslmode=verify-ca", "sslmode=verify-full",
                           "sslrootcert=system", "service=production"}) {
    EXPECT_EQ(first_host(std::string("host=localhost ") + mode), "localhost") << mode;
  }
  EXPECT_EQ(first_host("host=127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(first_host("host=::1"), "::1");
  EXPECT_EQ(first_host("host=db.example hostaddr=127.0.0.1"), "db.example");
  EXPECT_EQ(first_host("host=localhost hostaddr=192.0.2.1"), "localhost");
}

/// Returns the keyword's value as passed to libpq.
std::string sent(const std::string& where, std::string_view key) {
  const auto target = read_target(where, {});
  if (!target) {
    return "not understood: " + target.error();
  }
  const Keywords keywords(*target, target->hosts);
  std::string value;
  for (std::size_t i = 0; keywords.keys()[i] != nullptr; ++i) {
    if (key == keywords.keys()[i]) {
      value = keywords.values()[i];
    }
  }
  return value;
}

TEST(PostgresTargets, of_a_service_have_only_the_host_and_port_that_the_text_names) {
  const std::string service = "postgres://me@/shop?service=production";
  for (const char* const key : {"port", "host", "hostaddr"}) {
    EXPECT_EQ(sent(service, key), "") << key;
    EXPECT_EQ(sent("service=production", key), "") << key;
  }
  EXPECT_EQ(sent("postgres://me@a:6000/shop?service=production", "port"), "6000");
  EXPECT_EQ(sent("postgres://me@a,b/shop?service=production", "port"), "");
  EXPECT_EQ(sent("postgres://me@a,b/shop?service=production", "host"), "a,b");
  EXPECT_EQ(sent("postgres://me@a,b:6000/shop?service=production", "port"), "5432,6000");
  EXPECT_EQ(sent("postgres://me@a/shop", "port"), "5432");
  ::setenv("PGPORT", "7000", 1);
  ::setenv("PGHOST", "elsewhere", 1);
  EXPECT_EQ(sent(service, "port"), "") << "the service's file counts before the environment";
  EXPECT_EQ(sent(service, "host"), "");
  EXPECT_EQ(sent("dbname=shop", "port"), "7000");
  EXPECT_EQ(sent("dbname=shop", "host"), "elsewhere");
  ::unsetenv("PGPORT");
  ::unsetenv("PGHOST");
}

TEST(PostgresTargets, an_error_of_a_place_shows_no_password) {
  for (const char* where :
       {"postgres://me:topsecret@[::1]x/db", "postgres://me:topsecret%et@host/db",
        "user=me password=my topsecret", "postgres://me:topsecret/more@host/db",
        "postgres://me@host/db?password=topsecret&password", "host=a port=topsecret"}) {
    const auto target = read_target(where, {});
    ASSERT_FALSE(target.has_value()) << where;
    EXPECT_EQ(target.error().find("secret"), std::string::npos) << target.error();
  }
  for (const char* where : {"postgress://me:topsecret@host/db", "notes.db",
                            "http://host?a=topsecret", "user=me password=my topsecret"}) {
    const std::string error = read_target(where, {}).error();
    EXPECT_NE(error.find("must start with postgres:// or postgresql://"), std::string::npos)
        << error;
    EXPECT_EQ(error.find("secret"), std::string::npos) << error;
  }
  EXPECT_NE(read_target("host='open", {}).error().find("unterminated"), std::string::npos);
}

}  // namespace
}  // namespace eider::db::postgres
