#include "schema/event/open_inquiries.h"

#include <gtest/gtest.h>

#include <vector>

namespace turnlog::open_inquiries_test {
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

TEST(OpenInquiries, SecretIsThatOfTheRequestThatCloseWouldClose) {
  OpenInquiries inquiries;
  EXPECT_EQ(inquiries.SecretOf("x"), std::nullopt);
  inquiries.Open("x", 1, true);
  EXPECT_EQ(inquiries.SecretOf("x"), 1u);
  EXPECT_EQ(inquiries.SecretOf("y"), std::nullopt);
  inquiries.Open("x", 2, false);
  EXPECT_EQ(inquiries.SecretOf("x"), std::nullopt);
  inquiries.Open("x", 3, true);
  EXPECT_EQ(inquiries.SecretOf("x"), 3u);
  EXPECT_EQ(inquiries.size(), 3u);
}

TEST(OpenInquiries, SecretStaysOneWhenItsRequestIsClosed) {
  OpenInquiries inquiries;
  inquiries.Open("x", 1, true);
  inquiries.Open("y", 2, false);
  inquiries.Close("x");
  inquiries.Close("y");
  EXPECT_EQ(inquiries.SecretOf("x"), 1u);
  EXPECT_EQ(inquiries.SecretOf("y"), std::nullopt);
  inquiries.Open("x", 3, false);
  EXPECT_EQ(inquiries.SecretOf("x"), std::nullopt);
  inquiries.Close("x");
  EXPECT_EQ(inquiries.SecretOf("x"), 1u);
  inquiries.Open("x", 4, true);
  inquiries.Close("x");
  EXPECT_EQ(inquiries.SecretOf("x"), 4u);
  EXPECT_EQ(inquiries.secrets().size(), 1u);
}

TEST(OpenInquiries, NewTurnForgetsAllButTheSecrets) {
  OpenInquiries inquiries;
  inquiries.Open("x", 1, true);
  inquiries.Open("y", 2, true);
  inquiries.Close("y");
  inquiries.StartTurn();
  EXPECT_TRUE(inquiries.empty());
  EXPECT_EQ(inquiries.Close("x"), std::nullopt);
  EXPECT_EQ(inquiries.SecretOf("x"), 1u);
  EXPECT_EQ(inquiries.SecretOf("y"), 2u);
  inquiries.Open("x", 3, false);
  EXPECT_EQ(inquiries.SecretOf("x"), std::nullopt) << "it is the answer to that one";
}

TEST(OpenInquiries, NewTurnRemembersTheLastSecrets) {
  OpenInquiries inquiries;
  for (std::uint64_t seq = 1; seq <= OpenInquiries::kMostSecrets + 2; ++seq) {
    inquiries.Open(std::to_string(seq), seq, true);
    inquiries.Close(std::to_string(seq));
  }
  EXPECT_EQ(inquiries.SecretOf("1"), 1u) << "of this turn";
  inquiries.StartTurn();
  EXPECT_EQ(inquiries.secrets().size(), OpenInquiries::kMostSecrets);
  EXPECT_EQ(inquiries.SecretOf("2"), std::nullopt);
  EXPECT_EQ(inquiries.SecretOf("3"), 3u);
}

TEST(OpenInquiries, ListsInOrderOfSeq) {
  OpenInquiries inquiries;
  for (std::uint64_t seq = 1; seq <= 100; ++seq) inquiries.Open("id" + std::to_string(seq % 7), seq, false);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t seq = 1; seq <= 100; ++seq) expected.push_back(seq);
  EXPECT_EQ(Seqs(inquiries), expected);
}

}  // namespace
}  // namespace turnlog::open_inquiries_test
