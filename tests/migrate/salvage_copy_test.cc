// What is copied of damaged SQLite databases, also if the rowids that the copy is guided by are damaged.
#include "migrate/sqlite/salvage_copy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "migrate/sqlite/database.h"
#include "tests/migrate/database_files.h"
#include "tests/support/memory_bytes.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::salvage_copy_test {
namespace {

constexpr std::size_t kPage = 512;

class SalvageCopyTest : public ::testing::Test {
 protected:
  // A table whose rows, with these ids, have texts that TextOf finds.
  void Make(std::int64_t first, int rows, std::size_t text_bytes) {
    TestDatabase database(path_);
    database.Run(fmt::format("PRAGMA page_size={}; CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)", kPage));
    for (int row = 0; row < rows; ++row) {
      std::string text = TextOf(row);
      text.resize(text_bytes, '.');
      database.Run(fmt::format("INSERT INTO t VALUES ({}, {})", first + row, Quoted(text)));
    }
    bytes_ = database.Files().front().second;
  }
  static std::string TextOf(int row) { return fmt::format("row {:03} ", row); }
  std::size_t PageOf(int row) const { return bytes_.find(TextOf(row)) / kPage; }
  // Before a text of up to 57 bytes: the number of bytes, the rowid, and the types of the columns.
  char& RowId(int row) { return bytes_.at(bytes_.find(TextOf(row)) - 4); }
  void Wipe(std::size_t page) { bytes_.replace(page * kPage, kPage, kPage, '\0'); }

  // Number of rows, and of different ones.
  std::string Copied() {
    std::ofstream(path_, std::ios::binary) << bytes_;
    sqlite3 *damaged = nullptr, *copy = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &damaged), SQLITE_OK);
    sqlite3_db_config(damaged, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    sqlite3_exec(damaged, "PRAGMA writable_schema=ON; PRAGMA cell_size_check=ON", nullptr, nullptr, nullptr);
    EXPECT_EQ(sqlite3_open((dir_.path() / "copy").c_str(), &copy), SQLITE_OK);
    CopyReadable(damaged, copy);
    sqlite3_close(damaged);
    sqlite3_close(copy);
    return TestDatabase(dir_.path() / "copy").Ask("SELECT count(*) || ' ' || count(DISTINCT text) FROM t");
  }

  TempDir dir_;
  std::filesystem::path path_ = dir_.path() / "database";
  std::string bytes_;
};

// 100 rows; the page of row 50 is lost. Returns the last row before it, and the number of those that are left.
struct Damaged {
  int last_before = 50, left = 0;
};

class SalvageCopyOfLostPageTest : public SalvageCopyTest {
 protected:
  Damaged LosePage() {
    Make(0, 100, 50);
    Damaged damaged;
    const std::size_t lost = PageOf(50);
    while (PageOf(damaged.last_before) == lost) --damaged.last_before;
    for (int row = 0; row < 100; ++row) damaged.left += PageOf(row) == lost ? 0 : 1;
    Wipe(lost);
    return damaged;
  }
  static std::string Each(int rows) { return fmt::format("{} {}", rows, rows); }
};

TEST_F(SalvageCopyOfLostPageTest, HasTheRowsOfTheOthers) {
  const Damaged damaged = LosePage();
  EXPECT_GT(damaged.left, 80);
  EXPECT_EQ(Copied(), Each(damaged.left));
}

TEST_F(SalvageCopyOfLostPageTest, EndsWhereARowIdIsTooSmall) {
  const Damaged damaged = LosePage();
  RowId(damaged.last_before) = 3;
  EXPECT_EQ(Copied(), Each(damaged.left));
}

TEST_F(SalvageCopyOfLostPageTest, GoesOnAfterARowIdThatIsTooLarge) {
  const Damaged damaged = LosePage();
  RowId(damaged.last_before - 2) = 127;
  EXPECT_EQ(Copied(), Each(damaged.left));
}

class SalvageOfDamagedCellTest : public SalvageCopyTest {
 protected:
  // 100 rows. The first of each leaf is not where the leaf says.
  void DamageFirstRows(std::size_t place) {
    std::filesystem::remove(path_);
    Make(0, 100, 50);
    constexpr std::size_t kFirstLeaf = 2, kPlaces = 8;  // of the cells, after the header of a page
    for (std::size_t page = kFirstLeaf; page * kPage < bytes_.size(); ++page) {
      bytes_.replace(page * kPage + kPlaces, 2, {static_cast<char>(place >> 8), static_cast<char>(place)});
    }
    last_leaf_ = bytes_.size() / kPage - 1;
    other_leaves_ = last_leaf_ - kFirstLeaf;
  }

  // Of these bytes of a database: how many rows, different texts, and bytes of each.
  static std::string Salvaged(const std::string& bytes) {
    Source source{"database", "database", {}, {}};
    source.files.emplace_back("database", std::make_shared<MemoryBytes>(bytes));
    const auto database = Must(Database::Open(source));
    EXPECT_TRUE(database->is_salvaged());
    Statement rows = Must(database->Prepare(
        "SELECT count(*) || ' ' || count(DISTINCT text) || ' ' || min(length(text)) || ' ' || max(length(text)) "
        "FROM t"));
    return Must(rows.Step()) ? std::string(rows.Text(0)) : std::string();
  }

  std::size_t last_leaf_ = 0, other_leaves_ = 0;
};

// A page is looked at many times. What is behind it in memory is never taken for rows.
TEST_F(SalvageOfDamagedCellTest, LosesThePageIfItIsReadAsItIs) {
  DamageFirstRows(0xffff);
  EXPECT_EQ(Copied(), "0 0");
}

TEST_F(SalvageOfDamagedCellTest, LosesOnlyTheRow) {
  constexpr std::size_t kInTheHeader = 8;
  for (const std::size_t place : {std::size_t{0xffff}, kPage - 1, kPage - 16, kInTheHeader}) {
    SCOPED_TRACE(place);
    DamageFirstRows(place);
    std::size_t left = 0;
    for (int row = 0; row < 100; ++row) left += PageOf(row) == last_leaf_ ? 0U : 1U;
    left -= other_leaves_;
    ASSERT_GT(left, 70U);
    EXPECT_EQ(Salvaged(bytes_.substr(0, last_leaf_ * kPage)), fmt::format("{0} {0} 50 50", left));
  }
}

TEST_F(SalvageOfDamagedCellTest, LosesOnlyTheLeafThatAnInnerPageDoesNotName) {
  Make(0, 100, 50);
  constexpr std::size_t kRoot = 1, kPlaces = 12;
  bytes_.replace(kRoot * kPage + kPlaces, 2, "\xff\xff");
  std::size_t left = 0;
  for (int row = 0; row < 100; ++row) left += PageOf(row) == PageOf(0) ? 0U : 1U;
  ASSERT_GT(left, 80U);
  EXPECT_EQ(Salvaged(bytes_ + "a part of a page"), fmt::format("{0} {0} 50 50", left));
}

// How much of a row is in its cell, and how much in other pages.
TEST_F(SalvageOfDamagedCellTest, LosesNoRowThatIsWhole) {
  for (const std::size_t size :
       {9UZ, 59UZ, 467UZ, 470UZ, 471UZ, 472UZ, 473UZ, 474UZ, 475UZ, 500UZ, 980UZ, 981UZ, 982UZ, 5'000UZ}) {
    std::filesystem::remove(path_);
    Make(0, 12, size);
    EXPECT_EQ(Salvaged(bytes_ + "a part of a page"), fmt::format("12 12 {0} {0}", size));
  }
}

TEST_F(SalvageCopyTest, EndsAtTheGreatestRowId) {
  Make(INT64_MAX - 9, 10, 300);  // each on its own page
  Wipe(PageOf(9));
  EXPECT_EQ(Copied(), "9 9");
}

// Three levels of inner pages whose children are all the same: there is no room for as many rows as they seem to have.
TEST_F(SalvageCopyTest, EndsWherePagesReferToOneManyTimes) {
  Make(0, 100, 50);
  constexpr std::size_t kRoot = 1, kInnerPage = 5;
  const std::string root = bytes_.substr(kRoot * kPage, kPage);
  ASSERT_EQ(root[0], kInnerPage);
  const auto number = [&](std::size_t at) {
    return std::size_t{static_cast<std::uint8_t>(root.at(at))} << 8 | static_cast<std::uint8_t>(root.at(at + 1));
  };
  const auto refer = [&](std::size_t page, std::size_t child) {
    const std::string reference{0, 0, 0, static_cast<char>(child + 1)};
    std::string inner = root;
    inner.replace(8, 4, reference);
    for (std::size_t cell = 0; cell < number(3); ++cell) inner.replace(number(12 + 2 * cell), 4, reference);
    bytes_.replace(page * kPage, kPage, inner);
  };
  const std::size_t leaf = PageOf(0), lower = PageOf(20), upper = PageOf(40);
  refer(kRoot, upper);
  refer(upper, lower);
  refer(lower, leaf);
  EXPECT_EQ(std::stoul(Copied()), bytes_.size() / 4);
}

}  // namespace
}  // namespace turnlog::salvage_copy_test
