// Multipart forms: parts and errors do not depend on how the bytes are cut.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/multipart.h"

namespace {

using namespace eider;

struct Found {
  std::string events = {};
  MultipartRefusal refusal = MultipartRefusal::none;

  bool operator==(const Found&) const = default;
};

MultipartLimits small_limits() {
  MultipartLimits limits;
  limits.parts_max = 5;
  limits.header_bytes_max = 200;
  limits.headers_max = 3;
  limits.name_bytes_max = 10;
  limits.filename_bytes_max = 10;
  limits.part_bytes_max = 100;
  limits.preamble_bytes_max = 20;
  limits.epilogue_bytes_max = 20;
  return limits;
}

void note(const MultipartReader& reader, const MultipartStep& step, std::string& events) {
  if (step.status == MultipartStatus::part_begin) {
    ensure(!reader.part().name.empty(), "a part has a name");
    const std::string filename(reader.part().filename.value_or(""));
    ensure(!safe_filename(filename).contains('/'), "a safe name has no path");
    events.append("(").append(reader.part().name).append("|").append(filename).append(")");
  }
  events.append(step.data);
  events.append(step.status == MultipartStatus::part_end ? ";" : "");
  events.append(step.status == MultipartStatus::end ? "." : "");
}

/// Reads `in`, of which at most `step_bytes` arrive at once.
Found read(std::string_view in, std::size_t step_bytes) {
  MultipartReader reader("b", small_limits());
  Found found;
  while (!in.empty()) {
    std::string_view arrived = in.substr(0, step_bytes);
    in.remove_prefix(arrived.size());
    MultipartStep step = reader.read(arrived);
    while (step.status != MultipartStatus::need_more && step.status != MultipartStatus::refused) {
      note(reader, step, found.events);
      arrived.remove_prefix(step.consumed);
      step = reader.read(arrived);
    }
  }
  (void)reader.finish();
  found.refusal = reader.refusal();
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  const Found whole = read(in, in.size());
  for (const std::size_t step_bytes : {1UL, 2UL, 7UL}) {
    const Found cut = read(in, step_bytes);
    ensure(cut.refusal == whole.refusal, "cuts change no judgement");
    ensure(cut == whole || whole.refusal != MultipartRefusal::none, "cuts change nothing");
  }
  (void)multipart_boundary(in);
  return 0;
}
