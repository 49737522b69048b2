// Rows for benchmarks with many rows in a database.
// Layering: must not be linked into an application.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace eider {

struct Sample {
  std::int64_t id;
  std::string name;
  double weight;
};

inline std::vector<Sample> samples(std::size_t count) {
  std::vector<Sample> made;
  for (std::size_t i = 0; i < count; ++i) {
    made.push_back({.id = static_cast<std::int64_t>(i),
                    .name = "a name of usual length",
                    .weight = static_cast<double>(i) / 3});
  }
  return made;
}

}  // namespace eider
