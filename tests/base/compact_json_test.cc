#include "base/compact_json.h"

#include <gtest/gtest.h>

namespace turnlog::compact_json_test {
namespace {

TEST(CompactJsonTest, DropsSpaceBetweenTokensOnly) {
  EXPECT_EQ(CompactJson("{ \"a b\" : [ 1 ,\n2 ], \"c\\\" \" : \"\\\\\" , \"d\":\" \" }"),
            "{\"a b\":[1,2],\"c\\\" \":\"\\\\\",\"d\":\" \"}");
  EXPECT_EQ(CompactJson(""), "");
}

}  // namespace
}  // namespace turnlog::compact_json_test
