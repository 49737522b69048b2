// A sink that stores spans, for comparison with the expected ones.
// Layering: must not be included outside of tests.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "eider/core/base/work.h"

namespace eider {

/// Stores all spans.
class KeptSpans final : public SpanSink {
 public:
  void take(SpanRecord span) noexcept override {
    const std::lock_guard lock(mutex_);
    spans.push_back(std::move(span));
  }
  [[nodiscard]] bool samples(const TracePlace& /*place*/) const noexcept override { return keeps; }
  [[nodiscard]] const SpanRecord* find(std::string_view name) const {
    for (const SpanRecord& span : spans) {
      if (span.name == name) {
        return &span;
      }
    }
    return nullptr;
  }

  std::vector<SpanRecord> spans;
  bool keeps = true;

 private:
  std::mutex mutex_;
};

inline std::string attribute(const SpanRecord& span, std::string_view name) {
  for (const SpanAttribute& one : span.attributes) {
    if (one.name == name) {
      const auto* const text = std::get_if<std::string>(&one.value);
      return text != nullptr ? *text : std::to_string(std::get<std::int64_t>(one.value));
    }
  }
  return "none";
}

}  // namespace eider
