#include "cli/bench/options.h"

#include <gtest/gtest.h>

namespace eider::bench {
namespace {

using namespace std::chrono_literals;
using Arguments = std::vector<std::string_view>;

constexpr std::string_view kUrl = "http://127.0.0.1:8080/";

Options read_options_of(Arguments arguments) {
  arguments.push_back(kUrl);
  auto options = read_options(arguments);
  EXPECT_TRUE(options) << options.error();
  return options ? *options : Options();
}

std::string refusal(const Arguments& arguments) {
  const auto options = read_options(arguments);
  return options ? "understood" : options.error();
}

TEST(BenchOptions, TakeAUrlAlone) {
  const Options options = read_options_of({});
  EXPECT_EQ(options.url, kUrl);
  EXPECT_EQ(options.connections, 64U);
  EXPECT_EQ(options.duration, 10s);
  EXPECT_EQ(options.rate, 0);
  EXPECT_EQ(options.certificates, Certificates::checked);
}

TEST(BenchOptions, TakeShortValuesAttachedOrBehind) {
  for (const Arguments& arguments : {Arguments{"-c8", "-d2s"}, Arguments{"-c", "8", "-d", "2s"},
                                     Arguments{"--connections=8", "--duration=2s"},
                                     Arguments{"--connections", "8", "--duration", "2s"}}) {
    const Options options = read_options_of(arguments);
    EXPECT_EQ(options.connections, 8U);
    EXPECT_EQ(options.duration, 2s);
  }
}

TEST(BenchOptions, KeepEverythingThatIsAsked) {
  const Options options = read_options_of({"-t2",       "-n",
                                           "1000",      "-r",
                                           "2.5",       "--arrivals",
                                           "poisson",   "--warmup",
                                           "1s",        "--timeout=3s",
                                           "-m",        "PATCH",
                                           "-H",        "A: b",
                                           "--header",  "C: d",
                                           "-b",        "text",
                                           "-k",        "--cacert",
                                           "ca.pem",    "--json",
                                           "-",         "--html",
                                           "x.html",    "--no-progress",
                                           "--backend", "epoll"});
  EXPECT_EQ(options.threads, 2U);
  EXPECT_EQ(options.requests, 1000U);
  EXPECT_EQ(options.rate, 2.5);
  EXPECT_EQ(options.arrivals, Arrivals::poisson);
  EXPECT_EQ(options.warmup, 1s);
  EXPECT_EQ(options.timeout, 3s);
  EXPECT_EQ(options.method, "PATCH");
  EXPECT_EQ(options.fields, (std::vector<std::string>{"A: b", "C: d"}));
  EXPECT_EQ(options.body, "text");
  EXPECT_EQ(options.certificates, Certificates::any);
  EXPECT_EQ(options.authorities_file, "ca.pem");
  EXPECT_EQ(options.json_file, "-");
  EXPECT_EQ(options.html_file, "x.html");
  EXPECT_EQ(options.progress, Progress::none);
  EXPECT_EQ(options.backend, Backend::epoll);
  EXPECT_EQ(read_options_of({"-p", "16"}).pipeline, 16U);
  EXPECT_EQ(read_options_of({"--body", ""}).body, "");
  EXPECT_EQ(read_options_of({}).version, Version::http_1_1);
  EXPECT_EQ(read_options_of({"--http2", "--streams=9"}).version, Version::http_2);
  EXPECT_EQ(read_options_of({"--http2", "--streams=9", "-r", "5"}).streams, 9U);
}

TEST(BenchOptions, SpeakWebSocketToItsUrls) {
  for (const std::string_view url : {"ws://a/", "WSS://a/"}) {
    const auto options =
        read_options(Arguments{"-p4", "--body-bytes=9", "--binary", "--check-echo", url});
    ASSERT_TRUE(options) << options.error();
    EXPECT_EQ(options->version, Version::websocket);
    EXPECT_EQ(options->pipeline, 4U);
    EXPECT_EQ(options->body_bytes, 9U);
    EXPECT_EQ(options->message, ws::MessageType::binary);
    EXPECT_EQ(options->check, Check::echo);
  }
}

TEST(BenchOptions, SayWhatResponsesHaveToBe) {
  EXPECT_TRUE(read_options_of({}).expected.is_anything());
  const Options options =
      read_options_of({"--expect-status=404", "--expect-body", "no", "--expect-bytes=0"});
  EXPECT_EQ(options.expected.status, 404);
  EXPECT_EQ(options.expected.body, "no");
  EXPECT_EQ(options.expected.body_bytes, 0U);
}

TEST(BenchOptions, OfEventStreamsKnowWhatTheyHold) {
  const Options options = read_options_of({"--events", "2"});
  EXPECT_EQ(options.expected.status, 200);
  EXPECT_EQ(options.expected.body, "data: 0\n\ndata: 1\n\n");
  EXPECT_EQ(options.fields, std::vector<std::string>{"Accept: text/event-stream"});
}

TEST(BenchOptions, SayWhatTheyDoNotUnderstand) {
  const std::vector<std::pair<Arguments, std::string_view>> bad = {
      {{}, "The URL is missing"},
      {{"http://a/", "http://b/"}, "Two URLs"},
      {{"--conections", "1", kUrl},
       "Unknown option --conections (did you mean --connections?); see eider"},
      {{"-x", kUrl}, "Unknown option -x"},
      {{"-c", "0", kUrl}, "--connections must be a number from 1"},
      {{"-c", "1000001", kUrl}, "--connections must be"},
      {{"-c", "-1", kUrl}, "not '-1'"},
      {{"-c8x", kUrl}, "not '8x'"},
      {{kUrl, "-c"}, "--connections: 1 required N missing"},
      {{"-d", "10s", "-d", "x", kUrl}, "--duration must be a time"},
      {{"-d", "10", kUrl}, "--duration must be a time"},
      {{"-d", "1.5m", kUrl}, "--duration must be a time"},
      {{"-d", "0s", kUrl}, "--duration must be a time"},
      {{"-d", "25h", kUrl}, "--duration must be a time"},
      {{"-r", "0", kUrl}, "--rate must be"},
      {{"-r", "nan", kUrl}, "--rate must be"},
      {{"--arrivals", "often", kUrl}, "uniform or poisson"},
      {{"-m", "GE T", kUrl}, "--method must be"},
      {{"-m", "CONNECT", kUrl}, "not CONNECT"},
      {{"-H", "no colon", kUrl}, "--header must be"},
      {{"-H", "A: b\r\nC: d", kUrl}, "--header must be"},
      {{"-H", "A : b", kUrl}, "--header must be"},
      {{"-H", "content-LENGTH: 3", kUrl}, "neither Content-Length"},
      {{"-H", "Transfer-Encoding: chunked", kUrl}, "nor Transfer-Encoding"},
      {{"--no-progress=1", kUrl}, "no-progress was given a disallowed"},
      {{"-kx", kUrl}, "Unknown option"},
      {{"-b", "x", "--body-file", "y", kUrl}, "Use one of them"},
      {{"--requests-file", "x", "-m", "GET", kUrl}, "contains methods and bodies"},
      {{"-r", "10", "-p", "2", kUrl}, "Remove --rate or --pipeline"},
      {{"--http2", "-p", "2", kUrl}, "--streams"},
      {{"--streams", "2", kUrl}, "--streams requires --http2"},
      {{"--body-bytes", "0", kUrl}, "--body-bytes must be"},
      {{"--broadcast", kUrl}, "require a ws:// or wss:// URL"},
      {{"--broadcast", "-t2", "ws://a/"}, "Remove --threads"},
      {{"--broadcast", "-n9", "ws://a/"}, "--requests"},
      {{"--events", "0", kUrl}, "--events must be"},
      {{"--events", "9", "--http2", kUrl}, "Remove --http2"},
      {{"--events", "9", "--expect-status", "200", kUrl}, "--expect-"},
      {{"--events", "9", "ws://a/"}, "--check-echo"},
      {{"--expect-body", "x", "ws://a/"}, "--check-echo"},
      {{"--expect-status", "100", kUrl}, "--expect-status must be a number from 200"},
      {{"--expect-bytes", "-1", kUrl}, "--expect-bytes must be"},
      {{"--errors-max", "0", kUrl}, "--errors-max must be"},
      {{"--new-connections", "-p2", kUrl}, "Remove --rate and --pipeline"},
      {{"-b", "x", "--body-bytes", "9", kUrl}, "Use one of them"},
      {{"--requests-file", "x", "--body-bytes", "9", kUrl}, "contains methods and bodies"},
      {{"--binary", kUrl}, "require a ws:// or wss:// URL"},
      {{"--check-echo", kUrl}, "require a ws:// or wss:// URL"},
      {{"-m", "GET", "ws://a/"}, "Remove --method"},
      {{"--requests-file", "x", "wss://a/"}, "--requests-file"},
      {{"--http2", "ws://a/"}, "Remove --http2"},
      {{"--backend", "poll", kUrl}, "--backend must be"},
      {{"--json", "", kUrl}, "name of a file"},
  };
  for (const auto& [arguments, text] : bad) {
    EXPECT_NE(refusal(arguments).find(text), std::string::npos)
        << refusal(arguments) << " instead of " << text;
  }
}

TEST(BenchOptions, TheHelpNamesEveryOption) {
  for (const std::string_view name :
       {"--connections",  "--threads",       "--duration",      "--requests",
        "--rate",         "--arrivals",      "--pipeline",      "--warmup",
        "--timeout",      "--method",        "--header",        "--body ",
        "--body-file",    "--requests-file", "--insecure",      "--cacert",
        "--json",         "--html",          "--no-progress",   "--backend",
        "--help",         "--streams",       "--http2",         "--body-bytes",
        "--binary",       "--check-echo",    "ws://",           "--new-connections",
        "--broadcast",    "--events",        "--expect-status", "--expect-body",
        "--expect-bytes", "--errors-max"}) {
    EXPECT_NE(help_text().find(name), std::string::npos) << name;
  }
  EXPECT_EQ(refusal({"--help"}), "understood");
}

}  // namespace
}  // namespace eider::bench
