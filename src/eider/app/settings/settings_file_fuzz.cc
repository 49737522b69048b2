// Fuzzes settings files: an error names a line, and valid files can be written and read again.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/app/settings/option_set.h"
#include "eider/app/settings/settings_file.h"
#include "eider/core/base/assert.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  using detail::app::SettingsFile;
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  const auto file = SettingsFile::parse(in, "f");
  if (!file) {
    ensure(file.error().starts_with("f:"), "a fault has its line");
    return 0;
  }
  for (const detail::app::SettingLine& line : file->lines()) {
    ensure(line.values.size() == line.kinds.size() && line.values.size() == line.lines.size(),
           "each value has its kind and its line");
    for (const std::string& value : line.values) {
      const auto again = SettingsFile::parse("x = " + detail::app::toml_text(value), "f");
      ensure(again && again->find("x")->values.front() == value, "written and read again");
    }
  }
  return 0;
}
