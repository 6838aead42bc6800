#include "migrate/sqlite/row_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/try.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

// A source that cannot be opened: it has only this fault, unless its bytes cannot be read.
class UnreadableSource final : public SourceReader {
 public:
  UnreadableSource(std::string_view file, Error error) : file_(file), error_(std::move(error)) {}

  Result<SourceItem> Next() override {
    if (std::exchange(reported_, true)) return EndOfSource();
    if (error_.code == ErrorCode::kIo) return std::unexpected(error_);
    return SourceFault{std::nullopt, At({file_}, WhyUnreadable(error_))};
  }

 private:
  const std::string file_;
  const Error error_;
  bool reported_ = false;
};

// Reports a problem, and then what the other reader has.
class DamagedSource final : public SourceReader {
 public:
  DamagedSource(ImportProblem problem, std::unique_ptr<SourceReader> reader)
      : problem_(std::move(problem)), reader_(std::move(reader)) {}

  Result<SourceItem> Next() override {
    if (!std::exchange(reported_, true))
      return SourceNote{.conversation = {}, .note = problem_, .weight = SourceNote::Weight::kProblem};
    return reader_->Next();
  }

 private:
  const ImportProblem problem_;
  const std::unique_ptr<SourceReader> reader_;
  bool reported_ = false;
};

}  // namespace

std::string RowAsJson(std::string_view table, const Statement& row, std::string_view more) {
  std::string json = R"({"table":)";
  AppendJsonString(table, json);
  for (int column = 0; column < row.columns(); ++column) {
    json.push_back(',');
    AppendJsonString(row.Name(column), json);
    json.push_back(':');
    row.AppendJson(column, json);
  }
  return json.append(more).append("}");
}

std::string SameNames::Number(std::string name) {
  count_ = name == last_ ? count_ + 1 : 1;
  last_ = name;
  return count_ == 1 ? std::move(name) : fmt::format("{} ({})", name, count_);
}

Result<RecordPiece> RowReader::Next() {
  if (damaged_) return End(false);
  if (beside_) {
    if (auto row = TURNLOG_TRY(NextBeside())) return *std::move(row);
  }
  auto row = next_();
  if (row && !*row && damage_beside_) row = std::unexpected(*std::exchange(damage_beside_, std::nullopt));
  if (!row && row.error().code != ErrorCode::kCorruption) return std::unexpected(row.error());
  if (!row) {
    reason_ = row.error().message;
    return End(true);
  }
  if (!*row) return End(false);
  RecordPiece piece{.kind = RecordPiece::Kind::kRecord, .lead = line_ == 0 ? "" : "\n"};
  row_ = **std::move(row);
  auto object = JsonObject::Parse(row_);
  piece.bytes = row_;
  piece.offset = offset_ + piece.lead.size();
  piece.line = ++line_;
  offset_ = piece.offset + row_.size();
  if (object) {
    piece.object = *std::move(object);
  } else {
    piece.kind = RecordPiece::Kind::kDamage;
    piece.reason = "a row that cannot be kept as JSON";
  }
  return piece;
}

// Damage there costs the messages nothing.
Result<std::optional<RecordPiece>> RowReader::NextBeside() {
  auto row = beside_();
  if (!row && row.error().code != ErrorCode::kCorruption) return std::unexpected(row.error());
  if (!row) damage_beside_ = row.error();
  if (!row || !*row) return beside_ = nullptr, std::nullopt;
  named_ = **std::move(row);
  named_.name = names_.Number(std::move(named_.name));
  RecordPiece piece{.kind = RecordPiece::Kind::kRow, .bytes = named_.text, .name = named_.name, .offset = offset_};
  offset_ += named_.text.size();
  return piece;
}

RecordPiece RowReader::End(bool damaged) {
  RecordPiece piece{.kind = damaged ? RecordPiece::Kind::kDamage : RecordPiece::Kind::kEnd};
  if (damaged) piece.reason = reason_;
  if (!damaged && line_ > 0) piece.bytes = "\n";
  damaged_ = damaged_ || damaged;
  piece.offset = offset_;
  piece.line = line_ + 1;
  return piece;
}

Status ListOthers(Result<Statement> rows, const std::function<void(const Statement&)>& visit,
                  std::vector<RecordFile>& files) {
  auto row = rows ? rows->Step() : std::unexpected(rows.error());
  for (; row && *row; row = rows->Step()) visit(*rows);
  if (row) return {};
  if (row.error().code != ErrorCode::kCorruption || files.empty()) return std::unexpected(row.error());
  files.front().is_salvaged = true;
  return {};
}

void RefuseRepeatedNames(std::string_view what, std::vector<RecordFile>& files) {
  std::set<std::string> names;
  std::map<std::string, std::uint64_t> numbers;  // the last ones
  for (RecordFile& file : files) {
    const std::string name = file.conversation;
    while (!names.insert(file.conversation).second) {
      std::uint64_t& number = numbers.try_emplace(name, 1).first->second;
      file.conversation = fmt::format("{} ({})", name, ++number);
    }
    if (file.conversation == name) continue;
    file.find_refusal = [what, name] {
      return Result<std::string>(
          fmt::format("another {} of the database has the same name, \"{}\", and is imported", what, name));
    };
  }
}

std::unique_ptr<SourceReader> ReadRows(std::string_view format, Source& source, Result<std::vector<RecordFile>> rows) {
  const std::string path = source.files.front().path().string();
  if (!rows) return std::make_unique<UnreadableSource>(path, std::move(rows).error());
  const bool salvaged = std::ranges::any_of(*rows, &RecordFile::is_salvaged);
  const bool cut_off = IsCutOff(source).value_or(false);
  auto reader = std::make_unique<RecordSource>(format, *std::move(rows));
  if (!salvaged && !cut_off) return reader;
  const std::string_view what = cut_off ? "the end of the database is missing" : "the database is damaged";
  ImportReason reason{ImportProblemCode::kIncomplete, fmt::format("{}: only some rows could be read", what)};
  return std::make_unique<DamagedSource>(At({path}, std::move(reason)), std::move(reader));
}

}  // namespace turnlog
