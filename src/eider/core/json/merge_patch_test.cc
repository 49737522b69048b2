#include "eider/core/json/merge_patch.h"

#include <gtest/gtest.h>

#include <string>

#include "eider/core/json/read.h"
#include "eider/core/json/write.h"

namespace eider::json {
namespace {

struct PatchCase {
  const char* original;
  const char* patch;
  const char* result;
};

// RFC 7396, appendix A.
constexpr PatchCase kPatchCases[] = {
    {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
    {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
    {R"({"a":"b"})", R"({"a":null})", R"({})"},
    {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
    {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
    {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
    {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
    {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
    {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
    {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
    {R"({"a":"foo"})", "null", "null"},
    {R"({"a":"foo"})", R"("bar")", R"("bar")"},
    {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
    {"[1,2]", R"({"a":"b","c":null})", R"({"a":"b"})"},
    {"{}", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
};

TEST(MergePatch, does_what_the_examples_of_its_rfc_say) {
  for (const PatchCase& one : kPatchCases) {
    Value target = *read<Value>(one.original);
    merge_patch(target, *read<Value>(one.patch));
    EXPECT_EQ(to_text(target), one.result) << one.original << " with " << one.patch;
  }
}

TEST(MergePatch, keeps_the_order_of_what_was_there) {
  Value target = *read<Value>(R"({"b":1,"a":2,"c":3})");
  merge_patch(target, *read<Value>(R"({"d":4,"c":5,"b":null})"));
  EXPECT_EQ(to_text(target), R"({"a":2,"c":5,"d":4})");
}

// A search through all members for each member would take minutes.
TEST(MergePatch, takes_many_members_at_once) {
  Value patch = object({});
  for (int i = 0; i < 50'000; ++i) {
    patch.members().push_back({"m" + std::to_string(i), i});
  }
  Value target = patch;
  merge_patch(target, patch);
  EXPECT_EQ(target.size(), 50'000U);
  Value empty = object({});
  merge_patch(empty, patch);
  EXPECT_EQ(empty.size(), 50'000U);
}

}  // namespace
}  // namespace eider::json
