#include "schema/open_inquiries.h"

#include <gtest/gtest.h>

#include <vector>

namespace turnlog {
namespace {

std::vector<std::uint64_t> Seqs(const OpenInquiries& inquiries) {
  std::vector<std::uint64_t> seqs;
  for (const OpenInquiry& open : inquiries.all()) seqs.push_back(open.seq);
  return seqs;
}

TEST(OpenInquiries, ResponseClosesTheNearestEarlierRequestOfItsId) {
  OpenInquiries inquiries;
  inquiries.Open("x", 1, false);
  inquiries.Open("y", 2, false);
  inquiries.Open("x", 3, true);
  EXPECT_EQ(inquiries.Close("x"), (OpenInquiry{"x", 3, true}));
  EXPECT_EQ(Seqs(inquiries), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(inquiries.Close("x"), (OpenInquiry{"x", 1, false}));
  EXPECT_EQ(inquiries.Close("x"), std::nullopt);
  EXPECT_EQ(inquiries.size(), 1u);
}

TEST(OpenInquiries, ResponseBeforeItsRequestClosesNothing) {
  OpenInquiries inquiries;
  EXPECT_EQ(inquiries.Close("x"), std::nullopt);
  inquiries.Open("x", 2, false);
  EXPECT_EQ(Seqs(inquiries), std::vector<std::uint64_t>{2});
}

TEST(OpenInquiries, FindGivesWhatCloseWouldClose) {
  OpenInquiries inquiries;
  EXPECT_EQ(inquiries.Find("x"), nullptr);
  inquiries.Open("x", 1, false);
  inquiries.Open("x", 2, true);
  ASSERT_NE(inquiries.Find("x"), nullptr);
  EXPECT_EQ(inquiries.Find("x")->seq, 2u);
  EXPECT_EQ(inquiries.size(), 2u);
}

TEST(OpenInquiries, NewTurnForgetsWhatWasOpen) {
  OpenInquiries inquiries;
  inquiries.Open("x", 1, false);
  inquiries.StartTurn();
  EXPECT_TRUE(inquiries.empty());
  EXPECT_EQ(inquiries.Close("x"), std::nullopt);
}

TEST(OpenInquiries, ListsInOrderOfSeq) {
  OpenInquiries inquiries;
  for (std::uint64_t seq = 1; seq <= 100; ++seq) inquiries.Open("id" + std::to_string(seq % 7), seq, false);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t seq = 1; seq <= 100; ++seq) expected.push_back(seq);
  EXPECT_EQ(Seqs(inquiries), expected);
}

}  // namespace
}  // namespace turnlog
