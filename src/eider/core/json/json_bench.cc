// The cost of JSON: small messages as services send them, and long strings. arena_json measures
// arrays up to a megabyte, beside other libraries.
#include <benchmark/benchmark.h>

#include <optional>
#include <string>
#include <vector>

#include "eider/core/json/json.h"
#include "eider/core/reflect/constraints.h"

namespace {

using namespace eider;

struct Message {
  const char* message;
};
struct Note {
  std::int64_t id;
  std::string title;
  std::string body;
};
struct NewNote {
  Sized<std::string, 1, 200> title;
  std::string body;
  std::optional<Bounded<int, 0, 5>> stars;
};
struct Measurement {
  double x, y, z;
};

template <class T>
void write_again(benchmark::State& state, const T& object) {
  Buffer out;
  for (auto _ : state) {
    out.clear();
    json::write(out, object);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(out.size()));
}

template <class T>
void read_again(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    auto read = json::read<T>(text);
    benchmark::DoNotOptimize(read);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

const std::string kNewNote = R"({"title":"Milk","body":"two litres","stars":3})";

void write_message(benchmark::State& state) {
  write_again(state, Message{"Hello, World!"});
}
BENCHMARK(write_message);

void write_note(benchmark::State& state) {
  write_again(state, Note{17, "Milk", "two litres of it, and bread"});
}
BENCHMARK(write_note);

void write_notes(benchmark::State& state) {
  write_again(state, std::vector<Note>(20, {17, "Milk", "two litres of it, and bread"}));
}
BENCHMARK(write_notes);

void write_doubles(benchmark::State& state) {
  write_again(state, Measurement{0.1, 3.14159265358979, -2.5e-7});
}
BENCHMARK(write_doubles);

void write_long_text(benchmark::State& state) {
  write_again(state, std::string(64 << 10, 'a'));
}
BENCHMARK(write_long_text);

void write_long_foreign_text(benchmark::State& state) {
  std::string text;
  while (text.size() < 64 << 10) {
    text += "Größenwahn, čeština ";
  }
  write_again(state, text);
}
BENCHMARK(write_long_foreign_text);

void write_value(benchmark::State& state) {
  write_again(state, *json::read<json::Value>(kNewNote));
}
BENCHMARK(write_value);

void read_new_note(benchmark::State& state) {
  read_again<NewNote>(state, kNewNote);
}
BENCHMARK(read_new_note);

void read_notes(benchmark::State& state) {
  read_again<std::vector<Note>>(
      state, json::to_text(std::vector<Note>(20, {17, "Milk", "two litres of it, and bread"})));
}
BENCHMARK(read_notes);

void read_doubles(benchmark::State& state) {
  read_again<Measurement>(state, R"({"x":0.1,"y":3.14159265358979,"z":-2.5e-7})");
}
BENCHMARK(read_doubles);

void read_value(benchmark::State& state) {
  read_again<json::Value>(state, kNewNote);
}
BENCHMARK(read_value);

void read_long_text(benchmark::State& state) {
  read_again<std::string>(state, json::to_text(std::string(64 << 10, 'a')));
}
BENCHMARK(read_long_text);

void read_wrong_note(benchmark::State& state) {
  read_again<NewNote>(state, R"({"title":"","stars":9,"x":0})");
}
BENCHMARK(read_wrong_note);

}  // namespace
