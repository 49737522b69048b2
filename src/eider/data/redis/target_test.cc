#include "eider/data/redis/target.h"

namespace eider::redis::detail {
namespace {

TEST(Target, a_url_says_where_and_who) {
  const Target plain = read_target("redis://").value();
  EXPECT_EQ(plain.place(), "localhost:6379");
  EXPECT_TRUE(plain.password.empty());
  const Target full = read_target("rediss://ada:p%40ss%2Fw@cache.example:7000/3").value();
  EXPECT_EQ(full.place(), "cache.example:7000");
  EXPECT_TRUE(full.is_secure);
  EXPECT_EQ(full.user, "ada");
  EXPECT_EQ(full.password, "p@ss/w");
  EXPECT_EQ(full.database, 3U);
  EXPECT_EQ(read_target("redis://:only@[::1]:7/")->host, "::1");
  EXPECT_EQ(read_target("redis://:only@[::1]:7/")->port, 7);
  EXPECT_EQ(read_target("redis://[fe80::1%eth0]")->host, "fe80::1%eth0");
  EXPECT_EQ(read_target("redis://h/12")->database, 12U);
}

TEST(Target, a_unix_socket_is_a_path) {
  EXPECT_EQ(read_target("unix:/run/redis.sock")->place(), "unix:/run/redis.sock");
  EXPECT_EQ(read_target("unix:///run/redis.sock?db=2")->database, 2U);
  const Target full = read_target("unix://ada:secret@/run/redis.sock").value();
  EXPECT_EQ(full.host, "unix:/run/redis.sock");
  EXPECT_EQ(full.user, "ada");
  EXPECT_EQ(full.password, "secret");
}

TEST(Target, sentinels_are_a_list_with_the_name_of_their_master) {
  const Target target = read_target("redis+sentinel://u:p@a,b:1,[::1]:2/main.one/3").value();
  EXPECT_EQ(target.kind, TargetKind::sentinel);
  EXPECT_EQ(target.others, (std::vector<Place>{{"a", 26379}, {"b", 1}, {"::1", 2}}));
  EXPECT_EQ(target.master, "main.one");
  EXPECT_EQ(target.database, 3U);
  EXPECT_EQ(target.password, "p");
  const Target secure = read_target("rediss+sentinel:///m").value();
  EXPECT_TRUE(secure.is_secure);
  EXPECT_EQ(secure.others, (std::vector<Place>{{"localhost", 26379}}));
}

TEST(Target, a_cluster_is_some_of_its_nodes) {
  const Target target = read_target("redis+cluster://:p@a,b:7001/0").value();
  EXPECT_EQ(target.kind, TargetKind::cluster);
  EXPECT_EQ(target.others, (std::vector<Place>{{"a", 6379}, {"b", 7001}}));
  EXPECT_TRUE(read_target("rediss+cluster://a")->is_secure);
  const Target node = target.at({"c", 5});
  EXPECT_EQ(node.place(), "c:5");
  EXPECT_EQ(node.password, "p");
}

TEST(Target, what_a_server_tells_of_is_a_host_and_no_path) {
  for (const char* host : {"a.b-c_d", "10.0.0.1", "::1", "fe80::1%eth0"}) {
    EXPECT_TRUE(is_host(host)) << host;
  }
  for (const char* host : {"", "unix:/s", "a b", "a/b", "a\r\n", "[::1]", "?", ":x"}) {
    EXPECT_FALSE(is_host(host)) << host;
  }
}

TEST(Target, what_is_no_place_is_refused_without_being_repeated) {
  const char* const bad[] = {"",
                             "http://h",
                             "h:6379",
                             "redis:/h",
                             "redis://secret@h",
                             "redis://u:@h",
                             "redis://u:%zz@h",
                             "redis://h:",
                             "redis://h:0",
                             "redis://h:65536",
                             "redis://h:secret",
                             "redis://h/x",
                             "redis://h/-1",
                             "redis://h?db=1",
                             "redis://h#x",
                             "redis://[::1",
                             "redis://::1]:7",
                             "redis://:secret/x@h",
                             "rediss://[unix:x]",
                             "redis://[h]",
                             "redis://[]",
                             "redis://[::1%]\n]",
                             "redis://h%41",
                             "redis://h h",
                             "redis://h\r\n",
                             "redis+sentinel://h",
                             "redis+sentinel://h/",
                             "redis+sentinel://h/m/x",
                             "redis+sentinel://h/m m",
                             "redis+sentinel://a,,b/m",
                             "redis+sentinel://secret@a,b/m",
                             "redis+cluster://a,b:0",
                             "redis+cluster://a,b/1",
                             "redis+cluster://a/m",
                             "redis+cluster://a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a",
                             "redis+x://a",
                             "unix:",
                             "unix:run",
                             "unix://run",
                             "unix:///s?x",
                             "unix:///s?db=x",
                             "unix://secret@/s",
                             "unix://u:secret@h/s"};
  for (const char* url : bad) {
    const auto read = read_target(url);
    ASSERT_FALSE(read.has_value()) << url;
    EXPECT_EQ(read.error().find("secret"), std::string_view::npos) << url;
  }
  EXPECT_FALSE(read_target("unix:/" + std::string(200, 'a')).has_value());
}

}  // namespace
}  // namespace eider::redis::detail
