// The cost of JSON alone, into the same structs and from them: Eider beside simdjson, yyjson and
// glaze. The rounds of all libraries alternate. Prints one table of megabytes per second of CPU
// time.
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#if __has_include(<yyjson.h>)
#include <yyjson.h>
#define ARENA_YYJSON
#endif
#if __has_include(<glaze/glaze.hpp>)
#include <glaze/glaze.hpp>
#define ARENA_GLAZE
#endif

#include <CLI/CLI.hpp>

#include "eider/eider.h"
#include "eider/json.h"

// Not in an anonymous namespace: glaze reads the names of the members.
struct JsonRating {
  double score = 0;
  std::int64_t count = 0;
  bool operator==(const JsonRating&) const = default;
};
struct JsonItem {
  std::int64_t id = 0;
  std::string name;
  std::string category;
  double price = 0;
  std::int64_t quantity = 0;
  bool active = false;
  std::vector<std::string> tags;
  JsonRating rating;
  bool operator==(const JsonItem&) const = default;
};

namespace {

using Items = std::vector<JsonItem>;

Items items(std::int64_t count) {
  Items made;
  for (std::int64_t i = 0; i < count; ++i) {
    made.push_back({i,
                    "Alpha Widget",
                    "electronics",
                    static_cast<double>(i % 5000) / 100,
                    i % 500,
                    i % 2 == 0,
                    {"fast", "new", "popular"},
                    {4.2, i % 1000}});
  }
  return made;
}

/// How one library reads and writes the items. Memory may be reused between calls.
struct Contestant {
  std::string name;
  std::move_only_function<Items(const std::string& text)> read;
  std::move_only_function<std::string_view(const Items&)>
      write;  // empty: the library does not write structs
};

Contestant eider_json() {
  return {"Eider", [](const std::string& text) { return eider::json::read<Items>(text).value(); },
          [out = eider::Buffer()](const Items& items) mutable {
            out.clear();
            eider::json::write(out, items);
            return out.view();
          }};
}

/// On demand, with the members in the order of the text. The text must have room for the padding.
Contestant simdjson_json() {
  auto parser = std::make_shared<simdjson::ondemand::parser>();
  return {"simdjson " + std::to_string(simdjson::SIMDJSON_VERSION_MAJOR) + "." +
              std::to_string(simdjson::SIMDJSON_VERSION_MINOR),
          [parser](const std::string& text) {
            Items read;
            auto document = parser->iterate(text.data(), text.size(), text.capacity());
            for (auto element : document.get_array()) {
              auto& item = read.emplace_back();
              auto object = element.get_object();
              item.id = object["id"].get_int64().value();
              item.name = object["name"].get_string().value();
              item.category = object["category"].get_string().value();
              item.price = object["price"].get_double().value();
              item.quantity = object["quantity"].get_int64().value();
              item.active = object["active"].get_bool().value();
              for (auto tag : object["tags"].get_array()) {
                item.tags.emplace_back(tag.get_string().value());
              }
              auto rating = object["rating"].get_object();
              item.rating.score = rating["score"].get_double().value();
              item.rating.count = rating["count"].get_int64().value();
            }
            return read;
          },
          nullptr};
}

#ifdef ARENA_YYJSON
std::string text_of(yyjson_val* value) {
  return {yyjson_get_str(value), yyjson_get_len(value)};
}

Items read_yyjson(const std::string& text, const yyjson_alc& memory) {
  // yyjson changes the text only with YYJSON_READ_INSITU.
  auto* document =
      yyjson_read_opts(const_cast<char*>(text.data()), text.size(), 0, &memory, nullptr);
  Items read;
  auto* root = yyjson_doc_get_root(document);
  read.reserve(yyjson_arr_size(root));
  yyjson_arr_iter elements = yyjson_arr_iter_with(root);
  while (auto* element = yyjson_arr_iter_next(&elements)) {
    auto& item = read.emplace_back();
    yyjson_obj_iter object = yyjson_obj_iter_with(element);
    item.id = yyjson_get_sint(yyjson_obj_iter_get(&object, "id"));
    item.name = text_of(yyjson_obj_iter_get(&object, "name"));
    item.category = text_of(yyjson_obj_iter_get(&object, "category"));
    item.price = yyjson_get_num(yyjson_obj_iter_get(&object, "price"));
    item.quantity = yyjson_get_sint(yyjson_obj_iter_get(&object, "quantity"));
    item.active = yyjson_get_bool(yyjson_obj_iter_get(&object, "active"));
    auto* list = yyjson_obj_iter_get(&object, "tags");
    item.tags.reserve(yyjson_arr_size(list));
    yyjson_arr_iter tags = yyjson_arr_iter_with(list);
    while (auto* tag = yyjson_arr_iter_next(&tags)) {
      item.tags.push_back(text_of(tag));
    }
    yyjson_obj_iter rating = yyjson_obj_iter_with(yyjson_obj_iter_get(&object, "rating"));
    item.rating.score = yyjson_get_num(yyjson_obj_iter_get(&rating, "score"));
    item.rating.count = yyjson_get_sint(yyjson_obj_iter_get(&rating, "count"));
  }
  yyjson_doc_free(document);
  return read;
}

void write_yyjson(std::string& out, const Items& items, const yyjson_alc& memory) {
  auto* document = yyjson_mut_doc_new(&memory);
  auto* root = yyjson_mut_arr(document);
  yyjson_mut_doc_set_root(document, root);
  for (const auto& item : items) {
    auto* object = yyjson_mut_arr_add_obj(document, root);
    yyjson_mut_obj_add_int(document, object, "id", item.id);
    yyjson_mut_obj_add_strn(document, object, "name", item.name.data(), item.name.size());
    yyjson_mut_obj_add_strn(document, object, "category", item.category.data(),
                            item.category.size());
    yyjson_mut_obj_add_real(document, object, "price", item.price);
    yyjson_mut_obj_add_int(document, object, "quantity", item.quantity);
    yyjson_mut_obj_add_bool(document, object, "active", item.active);
    auto* tags = yyjson_mut_obj_add_arr(document, object, "tags");
    for (const auto& tag : item.tags) {
      yyjson_mut_arr_add_strn(document, tags, tag.data(), tag.size());
    }
    auto* rating = yyjson_mut_obj_add_obj(document, object, "rating");
    yyjson_mut_obj_add_real(document, rating, "score", item.rating.score);
    yyjson_mut_obj_add_int(document, rating, "count", item.rating.count);
  }
  std::size_t size = 0;
  char* text = yyjson_mut_write_opts(document, 0, &memory, &size, nullptr);
  out.assign(text, size);
  memory.free(memory.ctx, text);
  yyjson_mut_doc_free(document);
}

/// With an allocator that reuses its memory, as its documentation recommends for many documents.
Contestant yyjson_json() {
  const std::shared_ptr<yyjson_alc> memory(yyjson_alc_dyn_new(), yyjson_alc_dyn_free);
  return {"yyjson " YYJSON_VERSION_STRING,
          [memory](const std::string& text) { return read_yyjson(text, *memory); },
          [memory, out = std::string()](const Items& items) mutable -> std::string_view {
            write_yyjson(out, items, *memory);
            return out;
          }};
}
#endif

#ifdef ARENA_GLAZE
Contestant glaze_json() {
  return {"glaze",
          [](const std::string& text) {
            Items read;
            if (glz::read_json(read, text)) {
              throw std::runtime_error("glaze cannot read the items");
            }
            return read;
          },
          [out = std::string()](const Items& items) mutable -> std::string_view {
            out.clear();
            if (glz::write_json(items, out)) {
              throw std::runtime_error("glaze cannot write the items");
            }
            return out;
          }};
}
#endif

double cpu_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Megabytes per second of CPU time. The work is repeated until `megabytes` were processed.
double speed(std::size_t bytes, double megabytes, const std::function<void()>& work) {
  const auto times = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(megabytes * 1e6 / static_cast<double>(bytes)));
  const double begin = cpu_seconds();
  for (std::int64_t i = 0; i < times; ++i) {
    work();
  }
  return static_cast<double>(bytes) * static_cast<double>(times) / 1e6 / (cpu_seconds() - begin);
}

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// "1,139 · 0.86 ±1 %": the median speed, and Eider's time over this library's in the same rounds.
std::string cell(const std::vector<double>& speeds, const std::vector<double>& of_eider) {
  if (speeds.empty()) {
    return "–";
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    ratios.push_back(speeds[i] / of_eider[i]);
  }
  const double ratio = quantile(ratios, 0.5);
  const double spread = (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / 2 / ratio;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.0f · %.2f ±%.0f %%", quantile(speeds, 0.5), ratio,
                spread * 100);
  return text.data();
}

/// Throws std::runtime_error if a library reads or writes other values than the others.
void check(Contestant& contestant, const Items& wanted, const std::string& text) {
  if (contestant.read(text) != wanted) {
    throw std::runtime_error(contestant.name + " reads other values");
  }
  if (contestant.write && eider::json::read<Items>(contestant.write(wanted)) != wanted) {
    throw std::runtime_error(contestant.name + " writes other values");
  }
}

void measure(std::vector<Contestant>& contestants, std::int64_t count, int rounds,
             double megabytes) {
  const Items wanted = items(count);
  std::string text = eider::json::to_text(wanted);
  const std::size_t bytes = text.size();
  text.reserve(bytes + simdjson::SIMDJSON_PADDING);
  std::vector<std::vector<double>> reading(contestants.size());
  std::vector<std::vector<double>> writing(contestants.size());
  for (auto& contestant : contestants) {
    check(contestant, wanted, text);
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      auto& contestant = contestants[i];
      reading[i].push_back(speed(bytes, megabytes, [&] {
        if (contestant.read(text).size() != wanted.size()) {
          std::abort();
        }
      }));
      if (contestant.write) {
        writing[i].push_back(speed(bytes, megabytes, [&] {
          if (contestant.write(wanted).empty()) {
            std::abort();
          }
        }));
      }
    }
  }
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    std::cout << "| " << bytes << " | " << contestants[i].name << " | "
              << cell(reading[i], reading[0]) << " | " << cell(writing[i], writing[0]) << " |\n"
              << std::flush;
  }
}

int run(int argc, char** argv) {
  CLI::App options(
      "Measures JSON alone: Eider beside simdjson, and beside yyjson and glaze where "
      "their headers were found.");
  int rounds = 11;
  double megabytes = 20;
  options.add_option("--rounds", rounds, "rounds of each size")->check(CLI::Range(1, 1000));
  options.add_option("--megabytes", megabytes, "megabytes per round, library and direction")
      ->check(CLI::Range(0.001, 1e4));
  CLI11_PARSE(options, argc, argv);
  std::vector<Contestant> contestants;
  contestants.push_back(eider_json());
  contestants.push_back(simdjson_json());
#ifdef ARENA_YYJSON
  contestants.push_back(yyjson_json());
#endif
#ifdef ARENA_GLAZE
  contestants.push_back(glaze_json());
#endif
  std::cout << "MB/s, and Eider's CPU time over the library's (below 1: Eider needs less)\n\n"
               "| bytes | library | read | write |\n|---|---|---|---|\n";
  for (const std::int64_t count : {5, 50, 5000}) {
    measure(contestants, count, rounds, megabytes);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "arena_json: " << error.what() << '\n';
    return 1;
  }
}
