#include <cmath>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "eider/core/reflect/constraints.h"
#include "eider/data/redis/reply.h"
#include "eider/data/redis/resp.h"
#include "eider/data/redis/resp_writer.h"

namespace eider::redis::detail {
namespace {

using namespace std::string_literals;

/// Returns the items of a response, such as "array 2 [integer 1 …", one after the other.
std::string walk(std::string_view answer) {
  static constexpr const char* kNames[] = {"simple", "error", "integer",  "bulk",  "null",
                                           "real",   "bool",  "big",      "array", "set",
                                           "map",    "push",  "attribute"};
  std::string told;
  for (RespCursor cursor(answer); !cursor.is_at_end();) {
    const RespItem item = cursor.next();
    told += (told.empty() ? "" : " ") + std::string(kNames[static_cast<int>(item.kind)]);
    told += item.is_aggregate() || item.kind == RespKind::boolean
                ? ":" + std::to_string(item.number)
                : ":" + std::string(item.text);
  }
  return told;
}

struct Good {
  std::string answer;
  const char* walked;
};

const Good kGood[] = {
    {"+OK\r\n", "simple:OK"},
    {"+\r\n", "simple:"},
    {"-ERR no\r\n", "error:ERR no"},
    {"!6\r\nERR\r\na\r\n", "error:ERR\r\na"},
    {":0\r\n", "integer:0"},
    {":+7\r\n", "integer:+7"},
    {":-9223372036854775808\r\n", "integer:-9223372036854775808"},
    {"$0\r\n\r\n", "bulk:"},
    {"$5\r\na\r\n\n\0\r\n"s, nullptr},
    {"$-1\r\n", "null:"},
    {"*-1\r\n", "null:"},
    {"_\r\n", "null:"},
    {"#t\r\n", "bool:1"},
    {"#f\r\n", "bool:0"},
    {",1.5e-3\r\n", "real:1.5e-3"},
    {",-inf\r\n", "real:-inf"},
    {",nan\r\n", "real:nan"},
    {",1e999\r\n", "real:1e999"},
    {"(-3492890328409238509324850943850943825024385\r\n",
     "big:-3492890328409238509324850943850943825024385"},
    {"=7\r\ntxt:abc\r\n", "bulk:abc"},
    {"*0\r\n", "array:0"},
    {"*2\r\n:1\r\n*1\r\n+a\r\n", "array:2 integer:1 array:1 simple:a"},
    {"%1\r\n+a\r\n~2\r\n:1\r\n:2\r\n", "map:2 simple:a set:2 integer:1 integer:2"},
    {">2\r\n+message\r\n$1\r\na\r\n", "push:2 simple:message bulk:a"},
    {"|1\r\n+ttl\r\n:9\r\n*1\r\n|1\r\n+a\r\n*1\r\n+b\r\n:1\r\n", "array:1 integer:1"},
    {"|0\r\n:1\r\n", "integer:1"},
};

TEST(Resp, answers_are_found_whole_wherever_they_are_cut) {
  for (const Good& good : kGood) {
    const std::string all = good.answer + "+next\r\n";
    for (std::size_t cut = 0; cut < good.answer.size(); ++cut) {
      RespReader reader;
      const auto first = reader.read(std::string_view(all).substr(0, cut));
      ASSERT_TRUE(first.has_value()) << good.answer << " cut at " << cut;
      EXPECT_EQ(*first, 0U) << good.answer << " cut at " << cut;
      EXPECT_LE(reader.bytes_wanted(), good.answer.size());
      EXPECT_EQ(reader.read(all), good.answer.size()) << good.answer << " cut at " << cut;
    }
    if (good.walked != nullptr) {
      EXPECT_EQ(walk(good.answer), good.walked);
    }
  }
}

TEST(Resp, one_reader_reads_answer_after_answer_byte_by_byte) {
  std::string all;
  for (const Good& good : kGood) {
    all += good.answer;
  }
  RespReader reader;
  std::size_t begin = 0;
  std::size_t found = 0;
  for (std::size_t end = 1; end <= all.size(); ++end) {
    const auto bytes = reader.read(std::string_view(all).substr(begin, end - begin));
    ASSERT_TRUE(bytes.has_value());
    if (*bytes != 0) {
      EXPECT_EQ(all.substr(begin, *bytes), kGood[found++].answer);
      begin = end;
    }
  }
  EXPECT_EQ(found, std::size(kGood));
}

struct Bad {
  const char* bytes;
  RespFault fault;
};

constexpr Bad kBad[] = {
    {"OK\r\n", RespFault::bad_kind},
    {"\r\n", RespFault::bad_kind},
    {"H", RespFault::bad_kind},
    {"$?\r\n", RespFault::bad_number},
    {"*?\r\n", RespFault::bad_number},
    {"+O\nK\r\n", RespFault::bad_line},
    {"+O\rK\r\n", RespFault::bad_line},
    {":\r\n", RespFault::bad_number},
    {":1 \r\n", RespFault::bad_number},
    {":+-1\r\n", RespFault::bad_number},
    {":9223372036854775808\r\n", RespFault::bad_number},
    {"$-2\r\n", RespFault::bad_number},
    {"$+1\r\na\r\n", RespFault::bad_number},
    {"$ 1\r\na\r\n", RespFault::bad_number},
    {"$1\r\nab\r\n", RespFault::bad_line},
    {"$99999999999\r\n", RespFault::too_large},
    {"=3\r\nabc\r\n", RespFault::bad_line},
    {"=4\r\nabcd\r\n", RespFault::bad_line},
    {"=-1\r\n", RespFault::bad_number},
    {"%-1\r\n", RespFault::bad_number},
    {"_x\r\n", RespFault::bad_line},
    {"#x\r\n", RespFault::bad_line},
    {"#tt\r\n", RespFault::bad_line},
    {",\r\n", RespFault::bad_number},
    {",1.5x\r\n", RespFault::bad_number},
    {",.5\r\n", RespFault::bad_number},
    {",--1\r\n", RespFault::bad_number},
    {"(1a\r\n", RespFault::bad_number},
    {"(\r\n", RespFault::bad_number},
    {">0\r\n", RespFault::bad_kind},
    {"*1\r\n>1\r\n+a\r\n", RespFault::bad_kind},
};

TEST(Resp, what_is_no_answer_is_refused_wherever_it_is_cut) {
  for (const Bad& bad : kBad) {
    const std::string_view all(bad.bytes);
    const auto whole = RespReader().read(all);
    ASSERT_FALSE(whole.has_value()) << all;
    EXPECT_EQ(whole.error(), bad.fault) << all;
    EXPECT_FALSE(text(bad.fault).empty());
    for (std::size_t cut = 0; cut < all.size(); ++cut) {
      RespReader reader;
      const auto first = reader.read(all.substr(0, cut));
      ASSERT_TRUE(!first || *first == 0) << all << " cut at " << cut;
      EXPECT_TRUE(!first || !reader.read(all)) << all << " cut at " << cut;
    }
  }
}

TEST(Resp, limits_hold_before_what_they_forbid_has_come) {
  const RespLimits limits{.bytes_max = 32, .values_max = 4, .depth_max = 2};
  const auto fault = [&](std::string_view in) { return RespReader(limits).read(in).error(); };
  EXPECT_EQ(fault("$27\r\n"), RespFault::too_large);
  EXPECT_EQ(fault("*3\r\n:1\r\n$20\r\n"), RespFault::too_large);
  EXPECT_EQ(fault("*5\r\n"), RespFault::too_many);
  EXPECT_EQ(fault("%3\r\n"), RespFault::too_many);
  EXPECT_EQ(fault("*2\r\n*3\r\n"), RespFault::too_many);
  EXPECT_EQ(fault("*1\r\n*1\r\n*1\r\n"), RespFault::too_deep);
  EXPECT_EQ(RespReader(limits).read("*1\r\n*1\r\n*0\r\n"), 12U);
  EXPECT_EQ(RespReader(limits).read("$25\r\n1234567890123456789012345\r\n"), 32U);
  const std::string deep = [] {
    std::string all;
    for (int i = 0; i < 200; ++i) {
      all += "*1\r\n";
    }
    return all;
  }();
  EXPECT_EQ(RespReader({.depth_max = 1000}).read(deep).error(), RespFault::too_deep);
  EXPECT_EQ(RespReader().read("+" + std::string(kRespLineBytesMax, 'a')).error(),
            RespFault::too_large);
}

TEST(Resp, values_count_for_more_than_their_bytes) {
  const RespLimits limits{.bytes_max = 100, .value_bytes = 32};
  const auto fault = [&](std::string_view in) { return RespReader(limits).read(in).error(); };
  EXPECT_EQ(RespReader(limits).read("*2\r\n+\r\n+\r\n"), 10U);
  EXPECT_EQ(fault("*4\r\n"), RespFault::too_large) << "before any of them has come";
  EXPECT_EQ(fault("%2\r\n"), RespFault::too_large);
  EXPECT_EQ(fault("*2\r\n*2\r\n"), RespFault::too_large);
  EXPECT_EQ(fault("*2\r\n$40\r\n"), RespFault::too_large) << "bytes and values together";
  EXPECT_EQ(RespReader(limits).read("$90\r\n"), 0U) << "a single value is bounded by its bytes";
}

TEST(Resp, a_reader_says_how_much_a_long_answer_will_be) {
  RespReader reader;
  EXPECT_EQ(reader.read("*2\r\n$1000\r\nabc"), 0U);
  EXPECT_EQ(reader.bytes_wanted(), 4U + 7U + 1000U + 2U);
}

enum class Colour : std::uint8_t { kRed, kBlue };

struct User {
  std::string name;
  int age = 0;
  std::optional<double> score;
  bool operator==(const User&) const = default;
};

template <class... Arguments>
std::string command(const Arguments&... arguments) {
  Buffer out;
  append_command(out, arguments...);
  return std::string(out.view());
}

TEST(Resp, a_command_is_written_by_the_types_of_its_arguments) {
  EXPECT_EQ(command("GET", "k"), "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n");
  EXPECT_EQ(command("a\0\r\n"s), "*1\r\n$4\r\na\0\r\n\r\n"s);
  EXPECT_EQ(command(-5, 7U, true, 0.1F, 1e300),
            "*5\r\n$2\r\n-5\r\n$1\r\n7\r\n$1\r\n1\r\n$3\r\n0.1\r\n$6\r\n1e+300\r\n");
  EXPECT_EQ(command(std::vector<int>{1, 2}, std::array<bool, 1>{false}),
            "*3\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\n0\r\n");
  EXPECT_EQ(command(std::set<std::string>{"b", "a"}), "*2\r\n$1\r\na\r\n$1\r\nb\r\n");
  EXPECT_EQ(command(std::optional<int>(), std::optional<int>(1)), "*1\r\n$1\r\n1\r\n");
  EXPECT_EQ(command(Colour::kBlue), "*1\r\n$5\r\nkBlue\r\n");
  EXPECT_EQ(command(std::map<std::string, int>{{"a", 1}}), "*2\r\n$1\r\na\r\n$1\r\n1\r\n");
  EXPECT_EQ(command(User{"Ada", 36, std::nullopt}),
            "*4\r\n$4\r\nname\r\n$3\r\nAda\r\n$3\r\nage\r\n$2\r\n36\r\n");
  EXPECT_EQ(command(Sized<std::string, 1, 3>("ab")), "*1\r\n$2\r\nab\r\n");
}

/// Returns the value of a response, or the error text.
template <class T>
Result<T, std::string> read(std::string_view answer) {
  EXPECT_EQ(RespReader().read(answer), answer.size()) << answer;
  T value{};
  RespCursor cursor(answer);
  const auto read = read_reply(reflect::type_of<T>(), &value, cursor);
  if (!read) {
    return fail(read.error());
  }
  EXPECT_TRUE(cursor.is_at_end()) << answer;
  return value;
}

TEST(Resp, scalars_are_read_from_whatever_tells_them) {
  EXPECT_EQ(read<std::string>("$3\r\na\0b\r\n"s), "a\0b"s);
  EXPECT_EQ(read<std::string>("+OK\r\n"), "OK");
  EXPECT_EQ(read<std::string>(":12\r\n"), "12");
  EXPECT_EQ(read<std::int64_t>(":-12\r\n"), -12);
  EXPECT_EQ(read<int>("$2\r\n12\r\n"), 12);
  EXPECT_EQ(read<std::uint8_t>(":255\r\n"), 255);
  EXPECT_FALSE(read<std::uint8_t>(":256\r\n").has_value());
  EXPECT_FALSE(read<unsigned>(":-1\r\n").has_value());
  EXPECT_FALSE(read<int>("$3\r\n1.5\r\n").has_value());
  EXPECT_EQ(read<double>(",1.5\r\n"), 1.5);
  EXPECT_EQ(read<double>("$3\r\n1.5\r\n"), 1.5);
  EXPECT_EQ(read<double>(",-inf\r\n"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(*read<double>(",nan\r\n")));
  EXPECT_EQ(read<bool>("#t\r\n"), true);
  EXPECT_EQ(read<bool>(":0\r\n"), false);
  EXPECT_EQ(read<bool>("+OK\r\n"), true);
  EXPECT_EQ(read<bool>("_\r\n"), false);
  EXPECT_FALSE(read<bool>(":2\r\n").has_value());
  EXPECT_EQ(read<Colour>("+kBlue\r\n"), Colour::kBlue);
  EXPECT_FALSE(read<Colour>("+kGreen\r\n").has_value());
  EXPECT_EQ(read<std::optional<int>>("$-1\r\n"), std::nullopt);
  EXPECT_EQ(read<std::optional<int>>(":1\r\n"), 1);
  EXPECT_EQ(read<std::string>("_\r\n").error(),
            "the response is null, but must be a string (std::optional accepts both)");
  EXPECT_FALSE((read<Sized<std::string, 1, 2>>("$3\r\nabc\r\n").has_value()));
}

TEST(Resp, lists_maps_and_structs_are_read_by_reflection) {
  using Words = std::vector<std::string>;
  using Map = std::map<std::string, int>;
  EXPECT_EQ(read<Words>("*2\r\n+a\r\n$1\r\nb\r\n"), (Words{"a", "b"}));
  EXPECT_EQ(read<Words>("%1\r\n+a\r\n+b\r\n"), (Words{"a", "b"}));
  EXPECT_EQ(read<std::set<std::string>>("~2\r\n+a\r\n+b\r\n"), (std::set<std::string>{"a", "b"}));
  EXPECT_EQ((read<std::array<int, 2>>("*2\r\n:1\r\n:2\r\n")), (std::array<int, 2>{1, 2}));
  EXPECT_FALSE((read<std::array<int, 2>>("*1\r\n:1\r\n").has_value()));
  EXPECT_EQ(read<Map>("%1\r\n+a\r\n:1\r\n"), (Map{{"a", 1}}));
  EXPECT_EQ(read<Map>("*2\r\n+a\r\n:1\r\n"), (Map{{"a", 1}}));
  EXPECT_EQ(read<Map>("*1\r\n*2\r\n+a\r\n:1\r\n"), (Map{{"a", 1}}));
  EXPECT_EQ(read<Map>("*0\r\n"), Map());
  EXPECT_EQ(read<Map>("*1\r\n+a\r\n").error(), "the list ends with a name that has no value");
  EXPECT_FALSE(read<Map>("%2\r\n+a\r\n:1\r\n+a\r\n:2\r\n").has_value());
  EXPECT_EQ(read<User>("%3\r\n+age\r\n+36\r\n+name\r\n+Ada\r\n+more\r\n*1\r\n:1\r\n"),
            (User{"Ada", 36, std::nullopt}));
  EXPECT_EQ(read<User>("*3\r\n+Ada\r\n:36\r\n,1.5\r\n"), (User{"Ada", 36, 1.5}));
  EXPECT_EQ(read<std::optional<User>>("%0\r\n"), std::nullopt);
  EXPECT_EQ(read<User>("%1\r\n+age\r\n:1\r\n").error(), "the map has no value for User::name");
  EXPECT_EQ(read<User>("%1\r\n+age\r\n+secret\r\n").error(),
            "age: the response is a status, but must be an integer in the range of the type");
  EXPECT_FALSE(read<User>("*2\r\n+Ada\r\n:36\r\n").has_value());
  EXPECT_EQ(read<Words>("*1\r\n-ERR secret\r\n").error(),
            "value 0: the response is an error, but must be a string");
}

struct SameHash {
  std::size_t operator()(const std::string& /*one*/) const { return 7; }
};

/// Returns items with three bytes, starting at "100".
std::string numbered(int count, std::string_view after_each = "") {
  std::string items;
  for (int i = 0; i < count; ++i) {
    items.append("+" + std::to_string(100 + i) + "\r\n").append(after_each);
  }
  return items;
}

TEST(Resp, too_many_values_with_the_same_hash_are_an_error) {
  using Set = std::unordered_set<std::string, SameHash>;
  using Map = std::unordered_map<std::string, int, SameHash>;
  const std::string crowded = "too many values with the same hash";
  EXPECT_EQ(read<Set>("~100\r\n" + numbered(100))->size(), 100U);
  EXPECT_EQ(read<Set>("~2\r\n+a\r\n+a\r\n"), Set{"a"});
  EXPECT_EQ(read<Set>("~200\r\n" + numbered(200)).error(), crowded);
  EXPECT_EQ(read<Set>("*200\r\n" + numbered(200)).error(), crowded);
  EXPECT_EQ(read<std::vector<Set>>("*1\r\n*200\r\n" + numbered(200)).error(),
            "value 0: " + crowded);
  EXPECT_EQ(read<Map>("%100\r\n" + numbered(100, ":1\r\n"))->size(), 100U);
  EXPECT_EQ(read<Map>("%200\r\n" + numbered(200, ":1\r\n")).error(), crowded);
  EXPECT_EQ(read<Map>("*400\r\n" + numbered(200, ":1\r\n")).error(), crowded);
  EXPECT_EQ(read<Map>("%2\r\n+a\r\n:1\r\n+a\r\n:2\r\n").error(), "a duplicate name");
  EXPECT_EQ(read<Map>("%129\r\n" + numbered(128, ":1\r\n") + "+100\r\n:2\r\n").error(),
            "a duplicate name")
      << "in a full bucket, too";
  EXPECT_EQ(read<std::unordered_set<std::string>>("~200\r\n" + numbered(200))->size(), 200U);
}

}  // namespace
}  // namespace eider::redis::detail
