// A program with generated C++ clients: openapi_client_caller notes|rich|ticks URL. The build
// generates their headers. The header of a hostile document only has to compile.
#include <eider/client.h>
#include <eider/runtime.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "hostile.h"
#include "notes.h"
#include "rich.h"
#include "ticks.h"

using namespace eider;
using namespace std::chrono_literals;

namespace {

void check(bool holds, const std::string& what) {
  if (!holds) {
    throw std::runtime_error("it does not hold: " + what);
  }
}

/// Returns the value of a result that must not be an error.
template <class T>
T good(Result<T> result) {
  check(result.has_value(), result ? "" : result.error().detail() + " " + result.error().cause());
  return std::move(*result);
}

Task<> call_notes(HttpClient& http, std::string url) {
  int asked = 0;
  notes::Client client(
      {.http = http, .base_url = url + "/", .prepare = [&](ClientRequest& request) {
         request.header("X-Asked", std::to_string(++asked));
       }});
  const notes::NewNote milk = {.title = "Milk", .body = "Two bottles & ünïcode.", .stars = 3};
  const notes::Note added = good(co_await client.post_api_v1_notes(milk));
  check(added.title == "Milk" && added.body == milk.body && added.stars == 3, "added");
  const notes::Note found = good(co_await client.get_api_v1_notes_id(added.id));
  check(found.written == added.written, "found");
  const notes::NewNote tea = {.title = "Tea", .body = ""};
  check(good(co_await client.put_api_v1_notes_id(added.id, tea)).title == "Tea", "replaced");
  check(good(co_await client.get_api_v1_notes()).total == 1, "listed");
  check(good(co_await client.get_api_v1_notes({.page = 2})).notes.empty(), "listed by pages");
  std::puts("ok: notes are added, found, replaced and listed");

  const auto wrong = co_await client.post_api_v1_notes({.title = "", .body = "", .stars = 7});
  check(!wrong && wrong.error().status() == 422 && wrong.error().fields().size() == 2, "422");
  for (const FieldError& field : wrong.error().fields()) {
    check(field.pointer == (field.code == "range" ? "/stars" : "/title"), field.pointer);
    check(!field.detail.empty() && !field.arguments.empty(), field.pointer);
  }
  check((co_await client.get_api_v1_notes({.page = 0})).error().status() == 400, "400");
  check((co_await client.get_api_v1_notes_id(77)).error().status() == 404, "404");
  std::puts("ok: what is refused is an error, with its fields");

  check((co_await client.delete_api_v1_notes_id(added.id)).has_value(), "nothing is answered");
  check(asked == 9, "each request is prepared");
  std::puts("ok: nothing is void, and each request is prepared");
}

std::string data_text(const std::string& data) {
  return data;
}
std::string data_text(const rich::Reading& reading) {
  const auto since = reading.at.time_since_epoch();
  return (reading.level == rich::Level::low ? "low " : "high ") + std::to_string(since.count());
}

/// Returns all events as text. After an event that does not match the document, others follow.
template <class T>
Task<std::string> all_of(ApiEvents<T> events) {
  std::string all;
  for (auto next = co_await events.next(); !next || *next; next = co_await events.next()) {
    all += next ? (*next)->event + "[" + data_text((*next)->data) + "]" + (*next)->id
                : std::to_string(next.error().status());
    all += "; ";
  }
  co_return all;
}

Task<int> count_low(ApiLines<rich::Level> lines) {
  int count = 0;
  while (const auto level = good(co_await lines.next())) {
    count += *level == rich::Level::low ? 1 : 0;
  }
  co_return count;
}

Task<> call_rich(HttpClient& http, std::string url) {
  const rich::Client client({.http = http, .base_url = url});
  const rich::Echo echo = good(co_await client.echo(
      7, "a/b ?#%ü",
      {.tag = std::vector<std::string>{"x&y", "z"}, .page_size_ = 2, .If_Match = "\"1\""}));
  check(echo.target == "/things/7/a%2Fb%20%3F%23%25%C3%BC?tag=x%26y&tag=z&page%5Bsize%5D=2",
        echo.target);
  check(echo.fields.at("if-match") == "\"1\"", "a field is sent");
  for (const char* const name : {".", "..", ""}) {
    const auto refused = co_await client.echo(1, name, {.If_Match = ""});
    check(!refused && refused.error().status() == 400, "no step in the path");
  }
  const rich::Echo lists =
      good(co_await client.echo(1, "a",
                                {.commas = std::vector<std::string>{"d", "e,f"},
                                 .blanks = std::vector<std::string>{"x", "y z"},
                                 .pipes = std::vector<std::string>{"1", "2"},
                                 .If_Match = ""}));
  check(lists.target == "/things/1/a?commas=d,e%2Cf&blanks=x%20y%20z&pipes=1%7C2", lists.target);
  std::puts("ok: values of paths and queries are encoded, and none is a step in the path");

  const rich::Form form = {
      .level = rich::Level::high, .tags = std::vector<std::string>{"a b", "c"}, .count = 2};
  const rich::Echo sent = good(co_await client.post_form(form));
  check(sent.body == "level=high&tags=a%20b&tags=c&count=2", sent.body);
  check(sent.fields.at("content-type") == "application/x-www-form-urlencoded", "a form");
  const std::string bytes("\0\xFF\n\r", 4);
  check(good(co_await client.put_bytes(bytes)) == bytes, "bytes come back");
  check(good(co_await client.count()) == 42, "a number that is sent as text");
  rich::Drawing drawing = {.title = "t", .shape = rich::Drawing_shape::Square{.side = 2}};
  drawing.heights = {1, std::nullopt};
  drawing.levels.emplace()["a"] = rich::Level::low;
  drawing.id = Uuid::parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
  drawing.below = std::make_unique<rich::Drawing>();
  drawing.below->shape = rich::Drawing_shape::Circle{.radius = 1.5};
  const rich::Drawing drawn = good(co_await client.post_shape(drawing));
  check(std::get<rich::Drawing_shape::Square>(drawn.shape).side == 2, "a variant");
  check(std::get<rich::Drawing_shape::Circle>(drawn.below->shape).radius == 1.5, "one within");
  check(drawn.id == drawing.id && drawn.heights == drawing.heights, "a UUID and a list");
  check(drawn.levels == drawing.levels, "a map");
  std::puts("ok: forms, bytes, numbers and variants");

  const std::string events = co_await all_of(good(co_await client.events()));
  check(events == "message[one\ntwo]; tick[3]a; message[\u00FC]a; ", events);
  const std::string readings = co_await all_of(good(co_await client.readings()));
  check(readings == "reading[low 1500000000]; 502; message[high -1]; ", readings);
  check(co_await count_low(good(co_await client.lines())) == 2, "lines");
  const auto removed = co_await client.remove("1", "a");
  check(!removed && removed.error().status() == 502, "an answer that is not as it is told");
  std::puts("ok: streams, and answers that are not as they are told");
}

Task<> call_ticks(HttpClient& http, std::string url) {
  const ticks::Client client({.http = http, .base_url = url});
  auto events = good(co_await client.ticks());
  for (int number = 1; number <= 2; ++number) {
    const auto event = good(co_await events.next());
    check(event && event->data.number == number, "a tick");
    check(event->event == "tick" && event->id == std::to_string(number), "and what it is");
    const auto age = std::chrono::system_clock::now() - event->data.at;
    check(age > -1min && age < 1min, "an instant is one");
  }
  std::puts("ok: events are structs, with instants in them");

  auto later = good(co_await client.ticks({.Last_Event_ID = std::string(events.last_event_id())}));
  const auto third = good(co_await later.next());
  check(third && third->data.number == 3, "it goes on behind the last");
  check(!co_await with_deadline(later.next(), 1ms), "one does not have to wait");
  const auto fourth = good(co_await later.next());
  check(fourth && fourth->data.number == 4, "and misses nothing by that");
  std::puts("ok: a stream goes on where another one ended");

  auto texts = good(co_await client.get_ticks());
  const auto text = good(co_await texts.next());
  check(text && text->data == "1", "text is given as it is");
  std::puts("ok: what is not told to be JSON is text");
}

Task<> run(Task<> work, int& status) {
  try {
    co_await std::move(work);
    status = 0;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
  }
  Loop::current().stop();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    return 2;
  }
  const auto loop = Loop::create(Backend::automatic).value();
  HttpClient http;
  const std::string_view name = argv[1];
  int status = 1;
  Task<> all = run(name == "notes"   ? call_notes(http, argv[2])
                   : name == "ticks" ? call_ticks(http, argv[2])
                                     : call_rich(http, argv[2]),
                   status);
  loop->post([&all] { all.start(); });
  loop->run();
  all = Task<>();
  return status;
}
